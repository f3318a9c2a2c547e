package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.PoolOptions;
import io.farheap.base.PersistenceDomain;
import io.farheap.base.Ref;
import io.farheap.layout.Descriptor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Pools whose content is known, as they are when sound and as they were a run ago, and where their
 * structures lie: one of one part, one of three, one of two replicas of two parts each; and two,
 * with and without a replica, that were cut in a transaction.
 */
final class DamagedPools {
    /** What is stored is in the files at once, wherever they lie: no disk journal. */
    private static final PoolOptions PAGES =
            PoolOptions.builder().persistence(PersistenceDomain.PAGE_CACHE).build();

    private static final int PAGE = 4096;
    private static final int HEAP = (int) Descriptor.DEFAULT_HEAP_OFFSET;
    private static final int ZONE = HEAP + 1024;
    private static final int CHUNK_HEADERS = ZONE + 64;
    private static final int CHUNKS = ZONE + 524_288;
    private static final int CHUNK = 262_144;
    private static final int LANES = (int) Descriptor.DEFAULT_LANES_OFFSET;
    private static final int FREE = 2;
    private static final int USED = 3;
    private static final int RUN = 4;

    /** Of a run's header: unit size and alignment come before it. */
    private static final int BITMAP = 16;

    /** Of units of 128 bytes and larger ones. */
    private static final int MOST_RUN_HEADER = 320;

    private static final int OBJECT_HEADER = 16;

    private static final int FLEXIBLE = 8;

    /** Of one object. */
    private static final int MOST_UNITS = 64;

    private static final int OBJECTS = 60;
    private static final int OBJECT_BYTES = 96;
    private static final int NUMBER = 16;
    private static final long UNCOMMITTED = -1;

    private static final Map<String, List<String>> PARTS =
            Map.of(
                    "single", List.of("single"),
                    "cut", List.of("cut"),
                    "r.set", List.of("a", "b", "c", "d"),
                    "m.set", List.of("e", "f", "g"),
                    "t.set", List.of("h", "i"));

    /** What lies in the first part of a replica. */
    enum Structure {
        HEADER(144),
        DESCRIPTOR(2048),
        ROOT(8),
        LANE(3072),
        HEAP_HEADER(56),
        ZONE_HEADER(8),
        CHUNK_HEADER(8),
        RUN_HEADER(64),
        OBJECT_HEADER(8),
        DATA(OBJECT_BYTES),
        /** Of a transaction that was under way. */
        LOG(24);

        private final int length;

        Structure(int length) {
            this.length = length;
        }

        int length() {
            return length;
        }

        /**
         * Whether damage is always seen. A zone header of zeros is that of a zone nobody has used
         * yet, and in a copy it comes back from the master when the pool is opened.
         */
        boolean isCovered(Kind kind) {
            return switch (this) {
                case HEADER, DESCRIPTOR, HEAP_HEADER, CHUNK_HEADER -> true;
                case ZONE_HEADER -> kind != Kind.ZEROED;
                default -> false;
            };
        }

        /**
         * Whether the format has something to tell damage by, but for {@link DamagedPools#isLike}:
         * what programs store has no checksum, and an entry of a log whose checksum is wrong is one
         * that was never finished.
         */
        boolean isTold() {
            return this != DATA && this != LOG;
        }
    }

    /** What was done to it. */
    enum Kind {
        ZEROED,
        FLIPPED,
        NOISE
    }

    private final Path dir;
    private final Map<String, byte[]> sound = new TreeMap<>();
    private final Map<String, byte[]> old = new TreeMap<>();
    private final Map<String, List<Integer>> objects = new TreeMap<>();
    private final Map<String, List<Integer>> logs = new TreeMap<>();

    DamagedPools(Path dir) throws IOException {
        this.dir = dir;
        set("r.set", "5M @a\n5M @b\nREPLICA\n5M @c\n5M @d\n");
        set("m.set", "4M @e\n4M @f\n4M @g\n");
        set("t.set", "8M @h\nREPLICA\n8M @i\n");
        for (String name : PARTS.keySet()) {
            try (ObjectPool pool = created(name)) {
                fill(name, pool, 1);
            }
            keep(name, old);
            try (ObjectPool pool = opened(name)) {
                fill(name, pool, 2);
            }
            keep(name, sound);
        }
        cut("cut");
        cut("t.set");
    }

    private void set(String name, String content) throws IOException {
        Files.writeString(dir.resolve(name), "PMEMPOOLSET\n" + content.replace("@", dir + "/"));
    }

    private ObjectPool created(String name) {
        Path file = dir.resolve(name);
        return ObjectPool.at(file)
                .layout("bank")
                .size(name.endsWith(".set") ? 0 : 8 << 20)
                .options(PAGES)
                .create();
    }

    private ObjectPool opened(String name) {
        return ObjectPool.at(dir.resolve(name)).layout("bank").options(PAGES).open();
    }

    private void keep(String pool, Map<String, byte[]> kept) throws IOException {
        for (String part : partsOf(pool)) {
            kept.put(part, Files.readAllBytes(dir.resolve(part)));
        }
    }

    /** A chain of objects, each with its number in it. */
    private void fill(String name, ObjectPool pool, int round) {
        List<Integer> offsets = objects.computeIfAbsent(name, unused -> new ArrayList<>());
        Ref root = pool.root(64);
        offsets.add((int) root.offset());
        pool.transaction(
                tx -> {
                    for (int i = 0; i < OBJECTS; i++) {
                        Ref object = tx.allocate(OBJECT_BYTES, 7);
                        offsets.add((int) object.offset());
                        tx.setRef(object, 0, tx.getRef(root, 0));
                        tx.setLong(object, NUMBER, number(round, i));
                        tx.setRef(root, 0, object);
                    }
                    tx.setRef(root, 16, tx.allocate(1 << 20, 8));
                });
    }

    private static long number(int round, int index) {
        return round * 1000L + index;
    }

    /** The files as a program leaves them that ends in a transaction with stores in place. */
    private void cut(String name) throws IOException {
        try (ObjectPool pool = opened(name)) {
            pool.transaction(
                    tx -> {
                        Ref object = pool.getRef(pool.root(64), 0);
                        for (int i = 0; i < 5; i++) {
                            MemorySegment saved = tx.snapshot(object, NUMBER, Long.BYTES);
                            saved.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, UNCOMMITTED);
                            object = tx.getRef(object, 0);
                        }
                        keepCut(name);
                    });
        }
    }

    private void keepCut(String name) {
        try {
            Map<String, byte[]> before = Map.copyOf(sound);
            keep(name, sound);
            for (String part : partsOf(name)) {
                List<Integer> log = new ArrayList<>();
                byte[] cut = sound.get(part);
                byte[] was = before.get(part);
                for (int at = LANES; at < HEAP; at++) {
                    if (cut[at] != was[at]) {
                        log.add(at);
                    }
                }
                assertThat(log).as("the undo log in " + part).isNotEmpty();
                logs.put(part, log);
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    // ---- what there is ----

    List<String> partsOf(String pool) {
        return PARTS.get(pool);
    }

    private String poolOf(String part) {
        return PARTS.entrySet().stream()
                .filter(pool -> pool.getValue().contains(part))
                .findFirst()
                .orElseThrow()
                .getKey();
    }

    /** Not to be changed. */
    byte[] sound(String part) {
        return sound.get(part);
    }

    /** Of the run before; not to be changed. */
    byte[] old(String part) {
        return old.get(part);
    }

    /** Whether it may be of what programs have stored, or say how much of that there is. */
    boolean isData(String part, int offset, int length) {
        // Of a later part the place in the image is another.
        boolean first = List.of("a", "c", "single").contains(part);
        int end = offset + length;
        return !first
                || objects.get(poolOf(part)).stream()
                        .anyMatch(at -> at - OBJECT_HEADER < end && offset < at + OBJECT_BYTES)
                || runs(part).anyMatch(run -> run + BITMAP < end && offset < run + MOST_RUN_HEADER);
    }

    private IntStream runs(String part) {
        return chunks(part, RUN).stream().mapToInt(chunk -> CHUNKS + CHUNK * chunk);
    }

    /**
     * Whether what stands there now is as right as what was there: nothing in the format tells a
     * block in use from a free one but the word that says so, units in use from free ones but their
     * bits, and how many units an object has but the size in its header.
     */
    boolean isLike(String part, Structure structure, int offset, byte[] damaged) {
        ByteBuffer was = ByteBuffer.wrap(sound(part)).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer is = ByteBuffer.wrap(damaged).order(ByteOrder.LITTLE_ENDIAN);
        return switch (structure) {
            case CHUNK_HEADER ->
                    is.getLong(offset) == (was.getLong(offset) ^ USED ^ FREE)
                            && was.getShort(offset) == USED;
            case RUN_HEADER -> Arrays.mismatch(damaged, sound(part)) >= offset + BITMAP;
            case OBJECT_HEADER -> isPossibleSize(part, is.getLong(offset), offset);
            default -> false;
        };
    }

    /**
     * Whether another flag changes nothing: the older fixed bitmap is said where the one of these
     * units has the same size, or a run in which no unit is in use has others from now on.
     */
    boolean isTheSame(String part, Structure structure, int offset, byte[] damaged) {
        byte[] was = sound(part);
        int flags = offset + 2;
        return structure == Structure.CHUNK_HEADER
                && was[offset] == RUN
                && Arrays.mismatch(was, damaged) == flags
                && ((was[flags] ^ damaged[flags]) == FLEXIBLE || isEmptyRun(part, offset));
    }

    private boolean isEmptyRun(String part, int chunkHeader) {
        int run = CHUNKS + CHUNK * ((chunkHeader - CHUNK_HEADERS) / 8);
        ByteBuffer bytes = ByteBuffer.wrap(sound(part)).order(ByteOrder.LITTLE_ENDIAN);
        long unit = bytes.getLong(run);
        int chunks = bytes.getInt(chunkHeader + 4);
        BitSet used = BitSet.valueOf(bytes.slice(run + BITMAP, MOST_RUN_HEADER - BITMAP));
        long units = ((long) CHUNK * chunks - MOST_RUN_HEADER) / unit;
        return used.nextSetBit(0) < 0 || used.nextSetBit(0) >= units;
    }

    private boolean isPossibleSize(String part, long size, int offset) {
        ByteBuffer bytes = ByteBuffer.wrap(sound(part)).order(ByteOrder.LITTLE_ENDIAN);
        return runs(part)
                .filter(run -> run < offset && offset < run + CHUNK)
                .mapToLong(bytes::getLong)
                .anyMatch(unit -> size > 0 && size % unit == 0 && size / unit <= MOST_UNITS);
    }

    /** Where one of these structures begins in a first part. */
    int place(String part, Structure structure, Random random) {
        return switch (structure) {
            case HEADER -> 0;
            case DESCRIPTOR -> PAGE;
            case ROOT -> (int) Descriptor.ROOT_OFFSET;
            case LANE -> LANES + structure.length * random.nextInt(1024);
            case HEAP_HEADER -> HEAP;
            case ZONE_HEADER -> ZONE;
            case CHUNK_HEADER -> CHUNK_HEADERS + 8 * drawn(chunks(part, 0), random);
            case RUN_HEADER -> CHUNKS + CHUNK * drawn(chunks(part, RUN), random);
            case OBJECT_HEADER -> drawn(objects.get(poolOf(part)), random) - OBJECT_HEADER;
            case DATA -> drawn(objects.get(poolOf(part)), random);
            case LOG -> drawn(logs.get(part), random);
        };
    }

    private static int drawn(List<Integer> places, Random random) {
        return places.get(random.nextInt(places.size()));
    }

    /** Indices of the used chunks that lie in this part, of one type or any. */
    private List<Integer> chunks(String part, int type) {
        ByteBuffer bytes = ByteBuffer.wrap(sound(part)).order(ByteOrder.LITTLE_ENDIAN);
        List<Integer> chunks = new ArrayList<>();
        for (int i = 0; CHUNKS + CHUNK * (i + 1) <= bytes.limit(); ) {
            int at = CHUNK_HEADERS + 8 * i;
            short is = bytes.getShort(at);
            if (is == type || type == 0 && is != FREE) {
                chunks.add(i);
            }
            i += bytes.getInt(at + 4);
        }
        return chunks;
    }

    byte[] damaged(String part, int offset, int length, Kind kind, long seed) {
        Random random = new Random(seed);
        byte[] bytes = sound(part).clone();
        byte[] noise = new byte[length];
        switch (kind) {
            case ZEROED -> System.arraycopy(noise, 0, bytes, offset, length);
            case FLIPPED ->
                    bytes[offset + random.nextInt(length)] ^= (byte) (1 << random.nextInt(8));
            case NOISE -> {
                random.nextBytes(noise);
                System.arraycopy(noise, 0, bytes, offset, length);
            }
        }
        return bytes;
    }

    /**
     * Makes a part have these bytes.
     *
     * @param bytes null: there is none
     */
    void put(String part, byte[] bytes) throws IOException {
        Path file = dir.resolve(part);
        if (bytes == null) {
            Files.deleteIfExists(file);
        } else if (!Files.exists(file)
                || Files.size(file) != bytes.length
                || Arrays.mismatch(Files.readAllBytes(file), bytes) >= 0) {
            Files.write(file, bytes);
        }
    }

    /** All that was committed is there, and nothing else. */
    void requireContent(Path file) {
        requireContent(file, "bank");
    }

    /**
     * The same.
     *
     * @param layout null: any
     */
    void requireContent(Path file, String layout) {
        requireContent(file, layout, 2);
    }

    /**
     * The same.
     *
     * @param rounds 1: as it was a run ago
     */
    void requireContent(Path file, String layout, int rounds) {
        try (ObjectPool pool = ObjectPool.open(file, layout)) {
            Ref object = pool.getRef(pool.root(64), 0);
            for (int i = rounds * OBJECTS - 1; i >= 0; i--) {
                assertThat(pool.getLong(object, NUMBER))
                        .isEqualTo(number(i / OBJECTS + 1, i % OBJECTS));
                object = pool.getRef(object, 0);
            }
            assertThat(object.isNull()).isTrue();
        }
    }
}
