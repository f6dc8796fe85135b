import ledger
