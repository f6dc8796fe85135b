package org.loom.pattern

sealed abstract class Pattern
object Pattern { object Plain }
