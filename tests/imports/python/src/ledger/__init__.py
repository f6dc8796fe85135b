"""Keeps books.

from ledger.accounts import Account
"""
from .accounts import Account as Account
from .errors import (
    LedgerError,  # from .money import Money
    NotFound as Missing,
)
from . import money
from .storage import *

__all__ = ["Account", "LedgerError", "Missing", "money"]
