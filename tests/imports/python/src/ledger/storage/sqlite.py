import sqlite3
from .base import Store
from ..errors import LedgerError, NotFound
def total(name): import ledger.money; return ledger.money
