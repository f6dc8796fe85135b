package org.farm.animals;

import org.farm.gone.Missing;
