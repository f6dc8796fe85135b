from decimal import Decimal
