"""Questions, videos and scores in the formats of other tools, and back."""
