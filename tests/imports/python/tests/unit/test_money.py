from ledger.money import Money
from . import shared
from .shared import CASES
from ..helpers import account
