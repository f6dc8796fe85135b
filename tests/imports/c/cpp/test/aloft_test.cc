#include <gtest/gtest.h>
#include "aloft/aloft.hpp"
#include "test/helpers.h"
#include "helpers.h"
