@file:JvmName("App")
@file:Suppress("unused")

package net.tide

import kotlin.math.max
import net.tide.io.Buffer
import net.tide.io.readLine
import net.tide.io.internal.commonRead as read
import net.tide.model.Wave.Companion.of
import net.tide.model.Height
import net.tide.`in`.Inlet
import net.tide.text.*
import net.tide.gone.Gone
/* import net.tide.model.Hidden /* nested */ */

class App {
  val text = """
import net.tide.model.Hidden
"""
}
