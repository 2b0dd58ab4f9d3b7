"""Results: the tidy table of runs and scores, its cache, and what can be concluded from it.

``load_results`` returns the table: one row for each score, and one for each run without a video and each video without
a score. Summaries, comparisons and exports are made from the table and read no other files.
"""
