package org.farm.web.animals;

import org.farm.animals.Cow;
