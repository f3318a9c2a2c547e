package io.farheap.availability;

import io.farheap.base.FarheapException;
import java.util.regex.Pattern;

/** Names of nodes, pools and clusters: parts of keys, and words of messages. */
final class NodeNames {
    private static final Pattern NAME = Pattern.compile("[a-zA-Z0-9][a-zA-Z0-9._-]{0,62}");

    private NodeNames() {}

    static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    /**
     * @param of what it names, as a message says it
     */
    static String require(String of, String name) {
        if (!isName(name)) {
            throw FarheapException.wrongUse(
                    "\"%s\" can't be the name of a %s: use up to 63 letters, digits, dots, hyphens"
                            + " and underscores, a letter or digit first.",
                    name, of);
        }
        return name;
    }
}
