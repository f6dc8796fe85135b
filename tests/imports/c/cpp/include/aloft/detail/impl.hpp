#include "traits.hpp"
#include <vector.hpp>
