import argparse, sys
import ledger.accounts as accounts, ledger.reports.monthly
from ledger.json import dump
from ledger \
    import money as m
try:
    import ledger_fast as fast
except ImportError:
    from ledger._slow import fast
import importlib

import requests
import yaml

plugin = importlib.import_module("ledger.reports.yearly")
