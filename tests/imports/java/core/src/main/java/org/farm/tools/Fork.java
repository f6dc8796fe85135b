package org.farm.tools;
