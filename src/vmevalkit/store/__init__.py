"""Where everything lies, and how it gets there: written aside, renamed in, or not at all."""
