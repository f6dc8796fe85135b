package org.farm.testing;
