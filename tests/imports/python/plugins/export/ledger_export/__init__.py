from ledger.accounts import Account
from ledger_export.writer import write
import ledger_audit
