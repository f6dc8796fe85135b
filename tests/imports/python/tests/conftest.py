import pytest
from ledger.storage.sqlite import total
