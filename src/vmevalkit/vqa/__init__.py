"""The image-question track: MMSI-Bench, asked directly or in two stages with a picture."""
