import logging
import pytest
from helpers import account
from ledger import Account
from ledger.accounts import Account as A
from tests.helpers import account as other
import ledger.storage as storage
