"""A folder for each paper: its networks, its tables and what is measured for them."""
