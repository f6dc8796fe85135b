#include "aloft/aloft.hpp"
#include "kite/kite.h"
#include "aloft.ipp"
const char* raw = "//"; #include "hidden.h"
