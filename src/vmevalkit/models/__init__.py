"""Video models: one file per provider, one row per model."""
