PAGE = '''
import ledger
from ledger import cli
'''
