package net.tide.tools

import net.tide.App
import net.tide.tools.deep.dig
