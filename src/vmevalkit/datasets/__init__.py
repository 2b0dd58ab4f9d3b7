"""Question datasets: generating, resuming, indexes, frozen benchmark sets and the gallery."""
