"""The network of calls: boards, network, training, and auctions that teachers bid."""
