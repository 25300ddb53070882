"""The language of hands: what is asked of hidden hands, and what a rule says of a hand.

One grammar (``grammar.lark``) in two forms, the short one about one seat (``hands``) and that of
Dealer about the whole deal (``scripts``); one tree that both are read into (``tree``), and one
evaluator (``evaluation``) for real hands and for what is only known between bounds.
"""
