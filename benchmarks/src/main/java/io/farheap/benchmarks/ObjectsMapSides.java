package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import io.farheap.objects.collection.CollectionType;
import io.farheap.objects.transaction.HeapTransactions;
import io.farheap.objects.value.LongType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Map;
import java.util.Map.Entry;
import java.util.concurrent.ConcurrentHashMap;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.Txn;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;

/** Our maps, and what they are measured by. */
final class ObjectsMapSides {
    static final long POOL_BYTES = 1L << 30;

    private ObjectsMapSides() {}

    /** A map of {@code java.util}: ours, or the JDK's. */
    record OfMap(Map<Long, byte[]> map, Runnable end) implements KeyedSide {
        static OfMap hashed(Path file) {
            return persistent(file, CollectionType.map(LongType.LONG, new FlatBytes()));
        }

        static OfMap sorted(Path file) {
            return persistent(file, CollectionType.sortedMap(LongType.LONG, new FlatBytes(), null));
        }

        private static OfMap persistent(
                Path file, CollectionType<? extends Map<Long, byte[]>> type) {
            ObjectPool pool = ObjectPool.at(file).layout("objects").size(POOL_BYTES).create();
            HeapTransactions heap = new HeapTransactions(pool);
            long header = heap.transaction(type::create);
            return new OfMap(
                    type.open(heap, header),
                    () -> {
                        heap.close();
                        pool.close();
                    });
        }

        static OfMap inMemory() {
            return new OfMap(new ConcurrentHashMap<>(), () -> {});
        }

        @Override
        public void put(long key, byte[] value) {
            byte[] copy = map instanceof ConcurrentHashMap<?, ?> ? value.clone() : value;
            byte[] unused = map.put(key, copy);
        }

        @Override
        public boolean hasValue(long key, byte first) {
            byte[] value = map.get(key);
            return value != null && value[0] == first;
        }

        @Override
        public boolean remove(long key) {
            return map.remove(key) != null;
        }

        @Override
        public long scan() {
            long count = 0;
            for (Entry<Long, byte[]> entry : map.entrySet()) {
                count += entry.getValue().length / FlatBytes.SIZE;
            }
            return count;
        }

        @Override
        public void close() {
            end.run();
        }
    }

    /** The map on the raw API. */
    static final class OfRaw implements KeyedSide {
        private final ObjectPool pool;
        private final RawHashMap.Session session;
        private final MemorySegment value =
                Arena.ofAuto().allocate(RawHashMap.VALUE_BYTES, Long.BYTES);

        OfRaw(Path file, int entries) {
            pool = ObjectPool.at(file).layout("raw").size(POOL_BYTES).create();
            session = new RawHashMap(pool, entries).new Session();
        }

        @Override
        public void put(long key, byte[] bytes) {
            value.copyFrom(MemorySegment.ofArray(bytes));
            session.put(key, value);
        }

        @Override
        public boolean hasValue(long key, byte first) {
            return session.get(key, value) && value.get(ValueLayout.JAVA_BYTE, 0) == first;
        }

        @Override
        public boolean remove(long key) {
            return session.remove(key);
        }

        @Override
        public void close() {
            pool.close();
        }
    }

    /** LMDB, each change a transaction that is synced. */
    static final class OfLmdb implements KeyedSide {
        private final Env<ByteBuffer> env;
        private final Dbi<ByteBuffer> database;
        private final ByteBuffer key =
                ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.BIG_ENDIAN);
        private final ByteBuffer value = ByteBuffer.allocateDirect(FlatBytes.SIZE);

        OfLmdb(Path directory) {
            env = Env.create().setMapSize(POOL_BYTES).setMaxDbs(1).open(directory.toFile());
            database = env.openDbi("map", DbiFlags.MDB_CREATE);
        }

        private ByteBuffer key(long of) {
            return key.clear().putLong(of ^ Long.MIN_VALUE).flip();
        }

        @Override
        public void put(long of, byte[] bytes) {
            database.put(key(of), value.clear().put(bytes).flip());
        }

        @Override
        public boolean hasValue(long of, byte first) {
            try (Txn<ByteBuffer> txn = env.txnRead()) {
                ByteBuffer found = database.get(txn, key(of));
                byte[] bytes = new byte[FlatBytes.SIZE];
                if (found == null) {
                    return false;
                }
                found.get(bytes);
                return bytes[0] == first;
            }
        }

        @Override
        public boolean remove(long of) {
            return database.delete(key(of));
        }

        @Override
        public long scan() {
            long count = 0;
            try (Txn<ByteBuffer> txn = env.txnRead();
                    var all = database.iterate(txn)) {
                for (var entry : all) {
                    byte[] bytes = new byte[FlatBytes.SIZE];
                    entry.val().get(bytes);
                    count += bytes.length / FlatBytes.SIZE;
                }
            }
            return count;
        }

        @Override
        public void close() {
            env.close();
        }
    }

    /** RocksDB, each change synced. */
    static final class OfRocks implements KeyedSide {
        private final Options options = new Options().setCreateIfMissing(true);
        private final WriteOptions sync = new WriteOptions().setSync(true);
        private final RocksDB database;

        OfRocks(Path directory) {
            RocksDB.loadLibrary();
            database = call(() -> RocksDB.open(options, directory.toString()));
        }

        private interface Call<T> {
            T call() throws RocksDBException;
        }

        private static <T> T call(Call<T> call) {
            try {
                return call.call();
            } catch (RocksDBException e) {
                throw new IllegalStateException(e);
            }
        }

        private static byte[] key(long of) {
            return ByteBuffer.allocate(Long.BYTES).putLong(of).array();
        }

        @Override
        public void put(long of, byte[] bytes) {
            Void unused =
                    call(
                            () -> {
                                database.put(sync, key(of), bytes);
                                return null;
                            });
        }

        @Override
        public boolean hasValue(long of, byte first) {
            byte[] value = call(() -> database.get(key(of)));
            return value != null && value[0] == first;
        }

        @Override
        public boolean remove(long of) {
            return call(
                    () -> {
                        database.delete(sync, key(of));
                        return true;
                    });
        }

        @Override
        public void close() {
            database.close();
            sync.close();
            options.close();
        }
    }
}
