package io.farheap.objects.collection;

import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.transaction.HeapTransactions;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * The operations of {@link ConcurrentMap}, each one transaction or read, over what a map can do
 * within one. Keys and values are not null.
 */
abstract class AtomicMap<K, V> extends AbstractMap<K, V> implements ConcurrentMap<K, V> {
    final HeapTransactions heap;

    AtomicMap(HeapTransactions heap) {
        this.heap = heap;
    }

    /** The value of a key; null for none. */
    abstract V load(HeapTransaction tx, Object key);

    /** As {@link #load}, for who may replace the value or remove it. */
    abstract V taken(HeapTransaction tx, K key);

    /** Whether a key is there; reads no value. */
    abstract boolean has(HeapTransaction tx, Object key);

    /** Removes a key and reads no value; returns whether it was there. */
    abstract boolean erase(HeapTransaction tx, K key);

    abstract Iterator<Entry<K, V>> iterator(Handing handing);

    final Iterator<K> keys(Handing handing) {
        return new MappedIterator<>(iterator(handing), Entry::getKey);
    }

    /** Sets the value of a key, or removes it where the value is null; returns the old one. */
    abstract V store(HeapTransaction tx, K key, V value);

    private V change(K key, V value) {
        return heap.change(tx -> store(tx, key, value));
    }

    abstract long count(HeapTransaction tx);

    @SuppressWarnings("unchecked") // as far as the caller's own declarations are right
    private K key(Object key) {
        return (K) Objects.requireNonNull(key);
    }

    // ---- reads ----

    @Override
    public final int size() {
        long size = heap.glance(this::count);
        return (int) Math.min(Integer.MAX_VALUE, size);
    }

    @Override
    public final V get(Object key) {
        Objects.requireNonNull(key);
        HeapTransaction tx = heap.ofThread();
        if (tx.isActive()) {
            return load(tx, key);
        }
        heap.beginGlance(tx);
        try {
            V value = load(tx, key);
            if (tx.endGlance()) {
                return value;
            }
        } catch (Throwable failure) {
            if (!heap.isOvertaken(tx, failure)) {
                throw failure;
            }
        }
        return heap.read(own -> load(own, key));
    }

    @Override
    public final V getOrDefault(Object key, V defaultValue) {
        V value = get(key);
        return value == null ? defaultValue : value;
    }

    @Override
    public final boolean containsKey(Object key) {
        Objects.requireNonNull(key);
        HeapTransaction tx = heap.ofThread();
        if (tx.isActive()) {
            return has(tx, key);
        }
        heap.beginGlance(tx);
        try {
            boolean has = has(tx, key);
            if (tx.endGlance()) {
                return has;
            }
        } catch (Throwable failure) {
            if (!heap.isOvertaken(tx, failure)) {
                throw failure;
            }
        }
        return heap.read(own -> has(own, key));
    }

    @Override
    public final boolean containsValue(Object value) {
        Objects.requireNonNull(value);
        return heap.read(tx -> super.containsValue(value));
    }

    @Override
    public final boolean equals(Object other) {
        return other == this || heap.read(tx -> super.equals(other));
    }

    @Override
    public final int hashCode() {
        return heap.read(tx -> super.hashCode());
    }

    @Override
    public final String toString() {
        return heap.read(tx -> super.toString());
    }

    @Override
    public final Collection<V> values() {
        return new ValuesView<>(this);
    }

    // ---- changes ----

    @Override
    public final V put(K key, V value) {
        Objects.requireNonNull(key);
        Objects.requireNonNull(value);
        return change(key, value);
    }

    @Override
    public final V remove(Object key) {
        return change(key(key), null);
    }

    final boolean removeKey(Object key) {
        K removed = key(key);
        return heap.change(tx -> erase(tx, removed));
    }

    @Override
    public final boolean remove(Object key, Object value) {
        K removed = key(key);
        return value != null && replaceIf(removed, value, null);
    }

    private boolean replaceIf(K key, Object old, V next) {
        return heap.transaction(
                tx -> {
                    boolean isThere = old.equals(taken(tx, key));
                    if (isThere) {
                        V unused = change(key, next);
                    }
                    return isThere;
                });
    }

    @Override
    public final boolean replace(K key, V oldValue, V newValue) {
        Objects.requireNonNull(key);
        Objects.requireNonNull(oldValue);
        Objects.requireNonNull(newValue);
        return replaceIf(key, oldValue, newValue);
    }

    @Override
    public final V replace(K key, V value) {
        Objects.requireNonNull(key);
        Objects.requireNonNull(value);
        return heap.transaction(tx -> has(tx, key) ? change(key, value) : null);
    }

    @Override
    public final V putIfAbsent(K key, V value) {
        Objects.requireNonNull(key);
        Objects.requireNonNull(value);
        return heap.transaction(
                tx -> {
                    V old = load(tx, key);
                    return old == null ? change(key, value) : old;
                });
    }

    @Override
    public final V compute(K key, BiFunction<? super K, ? super V, ? extends V> function) {
        Objects.requireNonNull(key);
        Objects.requireNonNull(function);
        return heap.transaction(
                tx -> {
                    V old = taken(tx, key);
                    V next = function.apply(key, old);
                    if (next != null || old != null) { // the same array may have other elements
                        V unused = change(key, next);
                    }
                    return next;
                });
    }

    @Override
    public final V computeIfAbsent(K key, Function<? super K, ? extends V> function) {
        Objects.requireNonNull(function);
        Objects.requireNonNull(key);
        return heap.transaction(
                tx -> {
                    V old = load(tx, key);
                    V made = old == null ? function.apply(key) : null;
                    if (made != null) {
                        V unused = change(key, made);
                    }
                    return old == null ? made : old;
                });
    }

    @Override
    public final V computeIfPresent(K key, BiFunction<? super K, ? super V, ? extends V> function) {
        Objects.requireNonNull(function);
        return compute(key, (same, old) -> old == null ? null : function.apply(same, old));
    }

    @Override
    public final V merge(K key, V value, BiFunction<? super V, ? super V, ? extends V> function) {
        Objects.requireNonNull(value);
        Objects.requireNonNull(function);
        return compute(key, (same, old) -> old == null ? value : function.apply(old, value));
    }

    @Override
    public final void replaceAll(BiFunction<? super K, ? super V, ? extends V> function) {
        Objects.requireNonNull(function);
        heap.change(
                tx -> {
                    List<K> all = new ArrayList<>();
                    keys(Handing.LEAVING_KEYS).forEachRemaining(all::add);
                    for (K each : all) {
                        V unused =
                                computeIfPresent(
                                        each,
                                        (key, value) ->
                                                Objects.requireNonNull(function.apply(key, value)));
                    }
                    return null;
                });
    }

    private static void requireBoth(Object key, Object value) {
        Objects.requireNonNull(key);
        Objects.requireNonNull(value);
    }

    @Override
    public final void putAll(Map<? extends K, ? extends V> others) {
        heap.change(
                tx -> {
                    others.forEach(AtomicMap::requireBoth); // before anything is changed
                    others.forEach(this::put);
                    return null;
                });
    }
}
