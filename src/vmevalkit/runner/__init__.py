"""Entry points of the specification: the catalogues of tasks and models, and inference."""
