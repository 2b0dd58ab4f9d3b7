"""Records, errors, registry, randomness and settings: what every other package may use."""
