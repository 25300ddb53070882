"""The networks of two hands: ``pairs`` and ``hand2vec``."""
