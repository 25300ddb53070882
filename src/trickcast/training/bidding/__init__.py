"""The network of calls: boards, network, training, and auctions bid by teachers."""
