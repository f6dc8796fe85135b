import csv
from .types import Row
