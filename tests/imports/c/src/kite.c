#include "kite/kite.h"
#include "internal.h"
#include "util/list.h" // #include "hidden.h"
#include <string.h>
#include <sys/types.h>
#include <zlib.h>
#include <openssl/ssl.h>
#ifdef _WIN32
# include "win/string.h"
#else
# include "unix/wind.h"
#endif
/*
#include "hidden.h"
*/
static const char *text = "#include \"hidden.h\" /*";
#include "tables.inc"
#include KITE_EXTRA
#include "common.h"
