package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import io.farheap.PoolOptions;
import io.farheap.base.PersistenceDomain;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Statistics;
import org.rocksdb.TickerType;
import org.rocksdb.WriteOptions;

/** Who commits to a disk: ours, plain files, and what others embed for that. */
final class DiskSides {
    private static final long POOL_BYTES = 128L << 20;

    private DiskSides() {}

    /** A transaction of 64 bytes, each thread in an object of two pages. */
    static final class OfFarheap implements DiskSide {
        private static final int OBJECT_BYTES = 8192;

        private final String name;
        private final ObjectPool pool;

        OfFarheap(String name, Path file, PersistenceDomain domain) {
            this.name = name;
            this.pool =
                    ObjectPool.at(file)
                            .layout("benchmark")
                            .size(POOL_BYTES)
                            .options(PoolOptions.builder().persistence(domain).build())
                            .create();
            if (pool.persistenceDomain() != domain) {
                throw new IllegalStateException(file + " is " + pool.persistenceDomain());
            }
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public Runnable committer(int thread) {
            return new SmallCommit(pool, OBJECT_BYTES)::run;
        }

        @Override
        public long syncs() {
            return pool.persistenceDomain() == PersistenceDomain.JOURNAL
                    ? pool.counters().diskSyncs()
                    : -1;
        }

        @Override
        public void close() {
            pool.close();
        }
    }

    /** Appends to one file and syncs it: what a log costs that nobody has prepared. */
    static final class OfAppend implements DiskSide {
        /** What a commit has to log: undo entry, new value, commit word. */
        private static final int BYTES = 256;

        private final FileChannel file;
        private final AtomicLong end = new AtomicLong();

        OfAppend(Path path) throws IOException {
            file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        }

        @Override
        public String name() {
            return "append and sync";
        }

        @Override
        public Runnable committer(int thread) {
            ByteBuffer bytes = ByteBuffer.allocateDirect(BYTES);
            return () -> {
                try {
                    write(file, bytes.clear(), end.getAndAdd(BYTES));
                    file.force(false);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            };
        }

        @Override
        public void close() {
            closing(file);
        }
    }

    /** Writes a block of a file that has all its blocks, past the page cache: the device alone. */
    static final class OfBlocks implements DiskSide {
        private static final int BLOCK = 4096;
        private static final int BLOCKS = 4096;

        private final FileChannel file;
        private final AtomicLong next = new AtomicLong();

        /**
         * @throws IOException also where the file system takes no direct writes
         */
        OfBlocks(Path path) throws IOException {
            Files.write(path, new byte[BLOCK * BLOCKS]);
            try (FileChannel written = FileChannel.open(path, StandardOpenOption.WRITE)) {
                written.force(true);
            }
            file =
                    FileChannel.open(
                            path, StandardOpenOption.WRITE, StandardOpenOption.DSYNC, past());
        }

        /** By name: the compiler warns of what is the JDK's own. */
        private static OpenOption past() throws IOException {
            try {
                Class<?> options = Class.forName("com.sun.nio.file.ExtendedOpenOption");
                return Arrays.stream(options.getEnumConstants())
                        .filter(option -> option.toString().equals("DIRECT"))
                        .map(OpenOption.class::cast)
                        .findFirst()
                        .orElseThrow();
            } catch (ReflectiveOperationException e) {
                throw new IOException(e);
            }
        }

        @Override
        public String name() {
            return "4 KiB in place, direct";
        }

        @Override
        public Runnable committer(int thread) {
            ByteBuffer bytes =
                    ByteBuffer.allocateDirect(2 * BLOCK).alignedSlice(BLOCK).limit(BLOCK).slice();
            return () -> {
                try {
                    write(file, bytes.clear(), next.getAndIncrement() % BLOCKS * BLOCK);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            };
        }

        @Override
        public void close() {
            closing(file);
        }
    }

    private static void write(FileChannel file, ByteBuffer bytes, long at) throws IOException {
        int written = file.write(bytes, at);
        if (bytes.hasRemaining()) {
            throw new IOException("a short write of " + written + " bytes");
        }
    }

    private static void closing(FileChannel file) {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** RocksDB, whose log is synced at each put; it groups those of several threads. */
    static final class OfRocks implements DiskSide {
        private final Statistics statistics;
        private final Options options;
        private final WriteOptions sync;
        private final RocksDB database;

        OfRocks(Path directory) {
            RocksDB.loadLibrary();
            statistics = new Statistics();
            options = new Options().setCreateIfMissing(true).setStatistics(statistics);
            sync = new WriteOptions().setSync(true);
            try {
                database = RocksDB.open(options, directory.toString());
            } catch (RocksDBException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public String name() {
            return "RocksDB";
        }

        @Override
        public Runnable committer(int thread) {
            byte[] key = ByteBuffer.allocate(Long.BYTES).putLong(thread).array();
            byte[] value = new byte[SmallCommit.BYTES];
            return () -> {
                value[0]++;
                try {
                    database.put(sync, key, value);
                } catch (RocksDBException e) {
                    throw new IllegalStateException(e);
                }
            };
        }

        @Override
        public long syncs() {
            return statistics.getTickerCount(TickerType.WAL_FILE_SYNCED);
        }

        @Override
        public void close() {
            database.close();
            sync.close();
            options.close();
            statistics.close();
        }
    }

    /** LMDB, each put a transaction that is synced; one writes at a time. */
    static final class OfLmdb implements DiskSide {
        private final Env<ByteBuffer> env;
        private final Dbi<ByteBuffer> database;

        OfLmdb(Path directory) {
            env = Env.create().setMapSize(POOL_BYTES).setMaxDbs(1).open(directory.toFile());
            database = env.openDbi("commits", DbiFlags.MDB_CREATE);
        }

        @Override
        public String name() {
            return "LMDB";
        }

        @Override
        public Runnable committer(int thread) {
            ByteBuffer key = ByteBuffer.allocateDirect(Long.BYTES).putLong(0, thread);
            ByteBuffer value = ByteBuffer.allocateDirect(SmallCommit.BYTES);
            return () -> {
                value.put(0, (byte) (value.get(0) + 1));
                database.put(key, value);
            };
        }

        @Override
        public void close() {
            env.close();
        }
    }

    /** H2's MVStore: a put, a commit of all that was put, and a sync of its file. */
    static final class OfMvStore implements DiskSide {
        private final MVStore store;
        private final MVMap<Long, byte[]> map;

        OfMvStore(Path file) {
            store = new MVStore.Builder().fileName(file.toString()).autoCommitDisabled().open();
            map = store.openMap("commits");
        }

        @Override
        public String name() {
            return "H2 MVStore";
        }

        @Override
        public Runnable committer(int thread) {
            Long key = (long) thread;
            byte[] value = new byte[SmallCommit.BYTES];
            return () -> {
                value[0]++;
                byte[] unused = map.put(key, value.clone());
                commit();
            };
        }

        private void commit() {
            long unused = store.commit();
            store.sync();
        }

        @Override
        public void close() {
            store.close();
        }
    }
}
