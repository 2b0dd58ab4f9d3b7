"""Reports: tables, filmstrips and pages, made only from the files of an experiment."""
