"""Records, errors, registry, randomness and settings: what every other room may use."""
