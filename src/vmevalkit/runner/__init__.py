"""The verbs of the line: generate questions, run models on them, and views of what there is."""
