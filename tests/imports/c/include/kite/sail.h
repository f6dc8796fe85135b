/* #include "line.h" */
#	include "line.h"
