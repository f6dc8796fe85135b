from .templates.page import PAGE
from . import gone
