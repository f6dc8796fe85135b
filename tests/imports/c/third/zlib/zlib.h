#include "zconf.h"
