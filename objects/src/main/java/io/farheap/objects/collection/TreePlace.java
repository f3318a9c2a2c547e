package io.farheap.objects.collection;

/** A place among the entries of a tree: a leaf, 0 for none, and an index in its order. */
final class TreePlace {
    long leaf;
    int index;

    boolean isNone() {
        return leaf == 0;
    }

    void set(long newLeaf, int newIndex) {
        leaf = newLeaf;
        index = newIndex;
    }
}
