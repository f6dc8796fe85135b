package org.loom

import java.util.UUID
import scala.concurrent.Future
import org.loom.thread.{Cotton, Wool => Sheep, _}
import org.loom.pattern.Pattern, org.loom.pattern.Weave
import org.loom.Hidden.given
// import org.loom.Secret

class Loom {
  import org.loom.util.Text._
  val text = """
import org.loom.Secret
"""
  def run(): Unit = {
    import thread.Silk
  }
}
