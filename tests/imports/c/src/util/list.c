#include "list.h"
#include <list.h>
