package org.loom

import org.scalatest.funsuite.AnyFunSuite
import org.loom.thread.*
import org.loom.pattern.{Pattern as P, Weave}
