#pragma once
#include <vector>
#include <memory>
#include "aloft/detail/impl.hpp"
#include <aloft/detail/traits.hpp>
