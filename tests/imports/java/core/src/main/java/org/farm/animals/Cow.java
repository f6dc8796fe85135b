package org.farm.animals;

import org.farm.animals.Herd;
import org.farm.animals.Herd.Member.Role;
