#!/usr/bin/env python3
import os, common
from ledger.cli import main
if True: import ledger.money
