package io.farheap.benchmarks;

import java.util.Locale;

/** What is measured of maps, in this order. */
enum KeyedOperation {
    PUT,
    UPDATE,
    GET,
    REMOVE;

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Puts and removals go through the entries in one order; the others hit all over the map. */
    boolean isScattered() {
        return this == UPDATE || this == GET;
    }
}
