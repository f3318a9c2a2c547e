package io.farheap.objects.collection;

/**
 * What a pass over a map hands out of each entry. A pass that removes takes keys and values as they
 * leave the map: a reference to a deleted object does not stop it.
 */
enum Handing {
    KEYS(false, false),
    ENTRIES(true, false),
    LEAVING_KEYS(false, true),
    LEAVING_ENTRIES(true, true);

    final boolean hasValues;
    final boolean isLeaving;

    Handing(boolean hasValues, boolean isLeaving) {
        this.hasValues = hasValues;
        this.isLeaving = isLeaving;
    }
}
