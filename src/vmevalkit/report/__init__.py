"""Reports: tables, filmstrips and pages, made from the files of an experiment alone."""
