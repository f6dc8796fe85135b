"""Writes amounts as JSON; not the standard one."""
import json
from decimal import Decimal as D
