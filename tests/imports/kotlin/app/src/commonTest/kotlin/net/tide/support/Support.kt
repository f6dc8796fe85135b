package net.tide.support

import net.tide.App
