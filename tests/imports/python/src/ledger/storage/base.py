from abc import ABC
from .. import errors
from ..money import Money
from ...outside import nothing
