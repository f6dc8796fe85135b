package org.shop.tags

import org.shop.{Order => O}
