/*
 * import org.farm.hidden.Hidden;
 */
package org.farm;

import static java.util.Objects.requireNonNull;
import static org.farm.util.Strings.join;
import static org.farm.util.Numbers.*;

import java.util.List;
import java.util.Map.Entry;
import org.farm.animals.Cow;
import org.farm.animals.Herd.Member;
import org.farm.tools.*;
// import org.farm.hidden.Hidden;

/** Uses {@link org.farm.hidden.Hidden}. */
public class Farm {
  Barn barn;
  String text = "import org.farm.hidden.Hidden;";
}
