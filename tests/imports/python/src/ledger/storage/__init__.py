from .base import Store
from .sqlite import *
