package io.farheap.objects.dump;

import io.farheap.base.FarheapException;
import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.type.ObjectLayout;
import io.farheap.objects.type.StoredObjects;
import io.farheap.objects.type.TypeDescriptor;
import java.util.Arrays;
import java.util.List;

/**
 * The numbers of a heap's objects from 1 on: by type in the order of the type table, within a type
 * by place; places of deleted objects last. So they are the same in each heap that is equal and has
 * its objects of a type in the same order. Takes 8 bytes for each object. Not thread-safe.
 */
final class ObjectIds {
    private final List<TypeDescriptor> table;

    /** By type number, the last one of deleted objects. */
    private final Places[] places;

    /** By type number, the first id. */
    private final long[] first;

    private static final class Places {
        private long[] sorted = new long[16];
        private int count;

        void add(long place) {
            if (count == sorted.length) {
                sorted = Arrays.copyOf(sorted, Math.multiplyExact(count, 2));
            }
            sorted[count++] = place;
        }

        void sort() {
            Arrays.sort(sorted, 0, count);
        }

        int indexOf(long place) {
            return Arrays.binarySearch(sorted, 0, count, place);
        }
    }

    ObjectIds(List<TypeDescriptor> table) {
        this.table = table;
        this.places = new Places[table.size() + 1];
        this.first = new long[table.size() + 1];
        Arrays.setAll(places, i -> new Places());
    }

    void add(TypeDescriptor type, long place) {
        places[type.number()].add(place);
    }

    void addDeleted(long place) {
        places[table.size()].add(place);
    }

    /** All are there. */
    void complete() {
        long next = 1;
        for (int i = 0; i < places.length; i++) {
            places[i].sort();
            first[i] = next;
            next += places[i].count;
        }
    }

    long first(TypeDescriptor type) {
        return first[type.number()];
    }

    int count(TypeDescriptor type) {
        return places[type.number()].count;
    }

    int deleted() {
        return places[table.size()].count;
    }

    /** How many objects there are, those that are deleted not counted. */
    long objects() {
        return first[table.size()] - 1;
    }

    /** The type of an object that is not deleted; null for a number that is none of one. */
    TypeDescriptor type(long id) {
        if (id < 1 || id > objects()) {
            return null;
        }
        int at = table.size() - 1;
        while (first[at] > id) {
            at--;
        }
        return table.get(at);
    }

    /** Whether a number is one of an object, or of the place of a deleted one. */
    boolean isKnown(long id) {
        return id >= 1 && id <= objects() + deleted();
    }

    long place(long id) {
        TypeDescriptor type = type(id);
        int at = type == null ? table.size() : type.number();
        return places[at].sorted[(int) (id - first[at])];
    }

    /**
     * The number of the object at a place.
     *
     * @throws FarheapException BAD_DATA where there is none
     */
    long id(HeapTransaction tx, long place) {
        long word = ObjectLayout.word(tx, place);
        if (ObjectLayout.isMoved(word)) {
            word = ObjectLayout.word(tx, ObjectLayout.movedTo(tx, place));
        }
        long number = word - TypeDescriptor.FIRST_ID;
        int at = ObjectLayout.isDeleted(word) ? table.size() : (int) number;
        boolean isType = at == table.size() || number >= 0 && number < table.size();
        int index = isType ? places[at].indexOf(place) : -1;
        if (index < 0) {
            throw StoredObjects.damaged(place, word);
        }
        return first[at] + index;
    }
}
