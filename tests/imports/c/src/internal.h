#include <kite/line.h>
#include "util/list.h"
