package org.farm.tools.inner;
