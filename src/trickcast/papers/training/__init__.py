"""The networks of the papers of 2004, 2009 and 2018, and how these train them."""
