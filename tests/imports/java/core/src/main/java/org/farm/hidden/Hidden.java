package org.farm.hidden;
