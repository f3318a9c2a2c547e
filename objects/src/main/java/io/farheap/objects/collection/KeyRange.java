package io.farheap.objects.collection;

/**
 * The keys from one to another in an order, ends in it or not.
 *
 * @param low null: no end there
 * @param high null: no end there
 */
record KeyRange<K>(KeyOrder<K> order, K low, boolean hasLow, K high, boolean hasHigh) {
    KeyRange {
        if (low != null && high != null && order.compare(low, high) > 0) {
            throw new IllegalArgumentException("fromKey > toKey");
        }
    }

    static <K> KeyRange<K> all(KeyOrder<K> order) {
        return new KeyRange<>(order, null, false, null, false);
    }

    boolean isAll() {
        return low == null && high == null;
    }

    boolean isBelow(K key) {
        if (low == null) {
            return false;
        }
        int compared = order.compare(key, low);
        return compared < 0 || compared == 0 && !hasLow;
    }

    boolean isAbove(K key) {
        if (high == null) {
            return false;
        }
        int compared = order.compare(key, high);
        return compared > 0 || compared == 0 && !hasHigh;
    }

    boolean contains(K key) {
        return !isBelow(key) && !isAbove(key);
    }

    /** The part of this between two keys, null where the end is this one's. */
    KeyRange<K> part(K from, boolean hasFrom, K to, boolean hasTo) {
        requireEnd(from, hasFrom);
        requireEnd(to, hasTo);
        return new KeyRange<>(
                order,
                from == null ? low : from,
                from == null ? hasLow : hasFrom,
                to == null ? high : to,
                to == null ? hasHigh : hasTo);
    }

    private void requireEnd(K end, boolean isIn) {
        if (end == null) {
            return;
        }
        boolean isInside =
                isIn
                        ? contains(end)
                        : (low == null || order.compare(end, low) >= 0)
                                && (high == null || order.compare(end, high) <= 0);
        if (!isInside) {
            throw new IllegalArgumentException("key out of range");
        }
    }
}
