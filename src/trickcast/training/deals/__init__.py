"""The networks of all twenty results of a deal: ``accurate``, ``fast``, and their teacher."""
