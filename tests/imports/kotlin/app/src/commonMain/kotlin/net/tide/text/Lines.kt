package net.tide.text

import net.tide.text.readLine
import java.util.List
