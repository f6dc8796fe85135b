class LedgerError(Exception):
    def again(self):
        raise ValueError from self
