package io.farheap.benchmarks;

import java.util.function.LongConsumer;

/** One of the maps of 8 B keys and 64 B values that are measured beside each other. */
interface KeyedSide extends AutoCloseable {
    /** Entry {@code i} of so many has the key {@code i * SPREAD}. */
    long SPREAD = 0xD1342543DE82EF95L;

    void put(long key, byte[] value);

    /** Whether the value was there and its first byte is what is said. */
    boolean hasValue(long key, byte first);

    /** Whether the key was there. */
    boolean remove(long key);

    /** Reads all entries in the order of keys; how many there are. */
    default long scan() {
        throw new UnsupportedOperationException("no order");
    }

    /** Carries out a turn: each batch timed as a whole, since a clock costs as much as a get. */
    default void take(KeyedTurn turn, LongConsumer nanosOfBatch) {
        byte[] value = new byte[FlatBytes.SIZE];
        value[0] = (byte) turn.operation().ordinal();
        for (int batch = 0; batch < turn.batches(); batch++) {
            long first = turn.first() + (long) batch * turn.batch();
            long begin = System.nanoTime();
            for (long i = first; i < first + turn.batch(); i++) {
                once(turn.operation(), i * turn.stride() % turn.entries() * SPREAD, value);
            }
            nanosOfBatch.accept(System.nanoTime() - begin);
        }
    }

    private void once(KeyedOperation operation, long key, byte[] value) {
        boolean isRight = true;
        switch (operation) {
            case PUT, UPDATE -> put(key, value);
            case GET -> isRight = hasValue(key, (byte) KeyedOperation.UPDATE.ordinal());
            case REMOVE -> isRight = remove(key);
        }
        if (!isRight) {
            throw new IllegalStateException(operation + " of " + key + " went wrong");
        }
    }

    @Override
    void close();
}
