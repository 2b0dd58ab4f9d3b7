"""People's labels: which videos they get, how their labels are kept, and the web page on which they rate."""
