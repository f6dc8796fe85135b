package org.loom
package thread

import org.loom.pattern._

trait Thread
case class Cotton() extends Thread
final class Wool extends Thread
