from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ledger.money import Money
from ledger import errors, reports

if TYPE_CHECKING:
    from ledger.storage.base import Store

log = logging.getLogger(__name__)


@dataclass
class Account:
    name: str

    def balance(self, store: Store) -> Money:
        from .storage import sqlite as backend
        return backend.total(self.name)

    def parse(self, text):
        """Reads JSON.

        >>> import ledger.cli
        """
        template = "import ledger.cli"
        return json.loads(text) or errors
