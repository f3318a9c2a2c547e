package io.farheap.objects.collection;

import io.farheap.objects.transaction.HeapTransaction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Shows the entries of a hash map so that their order tells nothing of its history: by the bits of
 * their hashes from the lowest on, which is also that of the buckets; equal hashes by the bytes of
 * their keys. Hashes of keys that refer to objects are other ones in another pool: such keys are
 * all held in memory, and come in the order of their bytes.
 */
final class HashContent<K, V> {
    private final HashTable<K, V> table;
    private final HeapTransaction tx;
    private final long header;
    private final CollectionCheck check;

    private record Found<K>(long entry, int hash, K key, byte[] bytes) {}

    HashContent(HashTable<K, V> table, HeapTransaction tx, long header, long most) {
        this.table = table;
        this.tx = tx;
        this.header = header;
        this.check = new CollectionCheck("map or set", header, HashTable.size(tx, header), most);
    }

    void show(ContentVisitor visitor) {
        int level = HashBuckets.levelOfArrays(tx, header);
        boolean areAllHeld = table.keyType.namesObjects();
        Comparator<Found<K>> byBytes =
                (one, other) -> Arrays.compareUnsigned(one.bytes, other.bytes);
        Comparator<Found<K>> byHash =
                (one, other) ->
                        Integer.compareUnsigned(
                                Integer.reverse(one.hash), Integer.reverse(other.hash));
        List<Found<K>> found = new ArrayList<>();
        for (int i = 0; i < 1 << level; i++) {
            collect(Integer.reverse(i) >>> Integer.SIZE - level, level, found);
            if (!areAllHeld) {
                found.sort(byHash.thenComparing(byBytes));
                show(found, visitor);
            }
        }
        found.sort(byBytes);
        show(found, visitor);
        check.end();
    }

    private void show(List<Found<K>> found, ContentVisitor visitor) {
        for (Found<K> one : found) {
            V value = table.valueType == null ? null : table.value(tx, one.entry);
            visitor.entry(one.key, value);
        }
        found.clear();
    }

    /** The entries of one bucket, which may lie in that which it was not split off yet. */
    private void collect(int bucket, int level, List<Found<K>> into) {
        int mask = (1 << level) - 1;
        long steps = 0;
        long entry = HashBuckets.firstOfOwner(tx, header, bucket);
        while (entry != 0) {
            check.require(steps++ < check.size(), "a chain of its entries has no end");
            int hash = tx.getInt(entry, HashLayout.HASH);
            if ((hash & mask) == bucket) {
                check.count();
                K key = table.key(tx, entry);
                into.add(new Found<>(entry, hash, key, table.keyType.bytes(key)));
            }
            entry = tx.getLong(entry, HashLayout.NEXT);
        }
    }
}
