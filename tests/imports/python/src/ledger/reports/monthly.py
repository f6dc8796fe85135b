from . import yearly
from .yearly import render
from ..reports import yearly as again
from ledger.accounts import Account; from ledger.errors import LedgerError
