"""Video models: one file a provider, one row a model."""
