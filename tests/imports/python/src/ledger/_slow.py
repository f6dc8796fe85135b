fast = None
