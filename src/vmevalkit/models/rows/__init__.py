"""The rows of the catalogue: one file a provider, each with ``ROWS``. A file that is put here is found by looking.

A row's ``options`` name how the first frame is fitted (``fit`` and ``colour``: see models/preparing.py), and whatever
else its adapter documents.
"""
