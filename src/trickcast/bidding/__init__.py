"""Opening the bidding: systems made of readable rules, and networks that learned to open."""

from ..papers.openings.backpropagation import BackPropagation, Trained, call_targets, train_network
from ..papers.openings.networks import CascadeSystem, NetworkSystem, OpeningNetwork, Reading
from .calls import BIDS, CALLS, PASS, UNKNOWN, parse_call
from .drawing import hands_meeting, hands_opened, random_hands
from .labelled import LabelledError, LabelledHands, read_labelled
from .nearest import NearestSystem, Neighbour, code_counts, own_labelled
from .registry import RuleWarning, load, names, rule_file
from .review import Overlap, Review, review
from .rulefile import Rule, RuleError
from .rules import RuleExplanation, RuleSystem, RunnerUp
from .softrules import Shading, SoftRuleSystem, fit_shading
from .system import Explanation, OpeningSystem
