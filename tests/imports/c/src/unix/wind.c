#include "wind.h"
#include "util/list.h"
#include <errno.h>
#include "platform.h"
