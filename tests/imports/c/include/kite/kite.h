#ifndef KITE_H
#define KITE_H
#include <stddef.h>
#include <kite/line.h>
#include "kite/sail.h"
#include "config.h"
#endif
