package org.shop

import org.loom.{Loom, thread}
import thread.Cotton
import org.loom.pattern.Pattern as Design
import cats.effect.IO
import org.shop.tags.*

object Order
