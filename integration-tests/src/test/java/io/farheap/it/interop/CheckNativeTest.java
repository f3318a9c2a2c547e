package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.base.CheckReport;
import io.farheap.base.ListAt;
import io.farheap.base.Ref;
import io.farheap.layout.Descriptor;
import io.farheap.layout.LaneLayout;
import io.farheap.layout.LogLayout;
import io.farheap.pmemobj.ObjectList;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The check beside {@code pmempool check} and {@code pmemobj_check}: it finds damage that both
 * accept, and whatever makes libpmemobj stumble it finds.
 */
class CheckNativeTest {
    private static final long SEED = 5150;
    private static final int WORDS = 120;

    /** Native processes are slow: so many undamaged-looking pools are shown to them. */
    private static final int MOST_ASKED = 40;

    private static final long HEAP = Descriptor.DEFAULT_HEAP_OFFSET;
    private static final long LIST_HEAD = 256;
    private static final long ENTRY = 16;
    private static final ListAt LIST = ListAt.inRoot(LIST_HEAD, ENTRY);

    @TempDir private Path directory;
    private Path file;
    private final List<Ref> objects = new ArrayList<>();
    private Ref root;

    @BeforeEach
    void aPoolInUse() {
        NativeJudge.require();
        file = directory.resolve("a.pool");
        try (ObjectPool pool = ObjectPool.at(file).layout("check").size(8 << 20).create()) {
            root = pool.root(LIST_HEAD + ObjectList.HEAD_BYTES);
            pool.transaction(
                    tx -> {
                        for (int i = 0; i < 40; i++) {
                            objects.add(tx.allocateZeroed(60 + 90 * (i % 7), 1 + i % 3));
                        }
                    });
            ObjectList list = pool.list(root, LIST_HEAD, ENTRY);
            objects.subList(0, 5).forEach(list::insertLast);
        }
        NativeJudge.assertConsistent(file);
        assertThat(ObjectPool.check(file, LIST).inconsistencies()).isEmpty();
    }

    @Test
    void damageThatPmempoolAcceptsIsFound() throws IOException {
        long lane = Descriptor.DEFAULT_LANES_OFFSET + 500 * LaneLayout.SIZE;
        Map<String, long[]> damages = new LinkedHashMap<>();
        damages.put("the bitmap says are free", word(headerOf(objects.get(39)), 9 * 128));
        damages.put("unknown flags", word(headerOf(objects.get(7)), 128 | 1L << 53));
        damages.put("it is lost", word(headerOf(objects.get(7)), 128 | 0x8000L << 48));
        damages.put("invalid object size", word(headerOf(objects.get(9)), 1L << 40));
        damages.put("root: no allocated object", word(Descriptor.ROOT_OFFSET, root.offset() + 64));
        damages.put("bytes were asked for", word(Descriptor.ROOT_SIZE, 1 << 20));
        damages.put(
                "where no log extension starts",
                word(lane + LaneLayout.EXTERNAL_REDO + LogLayout.NEXT, objects.get(6).offset()));
        damages.put(
                "is the next of",
                word(objects.get(1).offset() + ENTRY + 8, objects.get(3).offset()));

        for (Map.Entry<String, long[]> damage : damages.entrySet()) {
            long offset = damage.getValue()[0];
            long old = put(offset, damage.getValue()[1]);

            assertThat(NativeJudge.run("pmempool", "check", "-v", file.toString()))
                    .as("pmempool check with: " + damage.getKey())
                    .returns(0, NativeJudge.Answer::exitCode);
            assertThat(ObjectPool.check(file, LIST).inconsistencies())
                    .as(damage.getKey())
                    .anyMatch(found -> found.meaning().contains(damage.getKey()));

            put(offset, old);
        }
        assertThat(ObjectPool.check(file, LIST).inconsistencies()).isEmpty();
    }

    @Test
    void nothingThatMakesLibpmemobjStumbleIsOverlooked() throws IOException {
        int found = 0;
        int asked = 0;
        for (int i = 0; i < WORDS && asked < MOST_ASKED; i++) {
            Random random = new Random(SEED + i);
            long offset = place(random);
            long old = get(offset);
            put(offset, random.nextBoolean() ? old ^ 1L << random.nextInt(64) : random.nextInt(9));
            CheckReport report = ObjectPool.check(file, LIST);
            if (report.isConsistent()) {
                asked++;
                libpmemobjWorks("seed " + (SEED + i) + ", word at " + offset);
            } else {
                found++;
            }
            put(offset, old);
        }
        assertThat(found).as("found, seed %d", SEED).isGreaterThan(20);
        assertThat(asked).as("asked, seed %d", SEED).isGreaterThan(10);
    }

    /** It checks, opens and lists a copy of the pool as we do. */
    private void libpmemobjWorks(String step) throws IOException {
        Path copy = directory.resolve("copy.pool");
        Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
        assertThat(NativeJudge.judge("check", copy.toString()))
                .as("pmemobj_check, " + step)
                .returns(0, NativeJudge.Answer::exitCode);
        assertThat(Listing.here(copy)).as(step).isEqualTo(NativeJudge.list(copy));
    }

    /**
     * Words of header, descriptor, logs, heap header, chunk headers, object headers, run headers.
     */
    private long place(Random random) {
        return switch (random.nextInt(7)) {
            case 0 -> random.nextLong(512) * 8;
            case 1 -> Descriptor.OFFSET + random.nextLong(262) * 8;
            case 2 ->
                    Descriptor.DEFAULT_LANES_OFFSET + random.nextLong(4 * LaneLayout.SIZE / 8) * 8;
            case 3 -> HEAP + random.nextLong(128) * 8;
            case 4 -> HEAP + 1024 + random.nextLong(26) * 8;
            case 5 -> headerOf(objects.get(random.nextInt(objects.size())));
            default -> HEAP + 1024 + 524_288 + random.nextLong(40) * 8;
        };
    }

    private static long[] word(long offset, long value) {
        return new long[] {offset, value};
    }

    private static long headerOf(Ref object) {
        return object.offset() - 16;
    }

    private long get(long offset) throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "r")) {
            bytes.seek(offset);
            return Long.reverseBytes(bytes.readLong());
        }
    }

    /** Returns what was there. */
    private long put(long offset, long value) throws IOException {
        long old = get(offset);
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.seek(offset);
            bytes.writeLong(Long.reverseBytes(value));
        }
        return old;
    }
}
