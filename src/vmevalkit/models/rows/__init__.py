"""The rows of the catalogue: one file per provider, each with ``ROWS``. Every file in this folder is loaded.

A row's ``options`` name how the first frame is fitted (``fit`` and ``colour``: see models/input_image.py), and the
other options that its adapter documents.
"""
