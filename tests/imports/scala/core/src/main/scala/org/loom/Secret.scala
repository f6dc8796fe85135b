package org.loom
