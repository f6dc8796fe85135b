#include "../internal.h"
#include "../../include/kite/sail.h"
