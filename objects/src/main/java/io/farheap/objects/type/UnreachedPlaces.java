package io.farheap.objects.type;

/**
 * What one read of the heap does not reach.
 *
 * @param objects those that are not deleted; without what only has the fields of another
 * @param deletedPlaces places of objects that were deleted
 * @param blocks what no object owns, reached or not
 */
record UnreachedPlaces(Offsets objects, Offsets deletedPlaces, Offsets blocks) {
    UnreachedPlaces() {
        this(new Offsets(), new Offsets(), new Offsets());
    }
}
