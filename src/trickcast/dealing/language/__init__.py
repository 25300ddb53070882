"""The language of hands: what is asked of hidden hands, and what a rule says of a hand.

One grammar (``grammar.lark``) in two forms, the short one about one seat (``short_form``) and that
of Dealer about the whole deal (``dealer_script``); one tree that both are read into, and one way to
work it out (``conditions``) for real hands and for what is only known between bounds. Rules of
opening systems are data in the short form (``rulefile``), and so are hands by name; descriptions
of hidden hands (``descriptions``) may use both.
"""
