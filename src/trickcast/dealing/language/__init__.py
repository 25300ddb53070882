"""The language of hands: constraints on hidden hands, and rules about a hand.

One grammar (``grammar.lark``) has two forms: the short one for one seat (``short_form``), and
Dealer's for the whole deal (``dealer_script``). Both are read into the same tree, and
``conditions`` evaluates it, for real hands or between bounds. Rules of
opening systems (``rulefile``) and named hands are data in the short form; descriptions
of hidden hands (``descriptions``) may use both.
"""
