package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.PoolOptions;
import io.farheap.base.PersistenceDomain;
import io.farheap.base.Ref;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A pool of two replicas with other borders, which can lose parts. */
abstract class PoolOfParts {
    /** What is stored is in the files at once, wherever they lie: no disk journal. */
    static final PoolOptions PAGES =
            PoolOptions.builder().persistence(PersistenceDomain.PAGE_CACHE).build();

    /**
     * Image offsets in MiB but for pages: a 0 to 8, b to 13, c to 19; d 0 to 6, e to 14, f to 19.
     */
    static final String LINES = "8M @a\n5M @b\n6M @c\nREPLICA\n6M @d\n8M @e\n5M @f\n";

    static final List<String> PARTS = List.of("a", "b", "c", "d", "e", "f");
    static final int MIB = 1 << 20;
    static final int PAGE = 4096;
    static final int OBJECTS = 14;
    static final int OBJECT_BYTES = MIB - 64;

    @TempDir Path dir;
    Path set;
    Map<String, byte[]> sound;

    /** The parts of the pool of {@link #LINES}: made once, and put in place for each test. */
    private static Map<String, byte[]> usual;

    @BeforeEach
    void aPool() throws IOException {
        if (usual == null) {
            set = create(LINES);
            usual = bytes();
        } else {
            set = new PoolSets(dir).write("r.set", LINES);
            for (Map.Entry<String, byte[]> part : usual.entrySet()) {
                Files.write(dir.resolve(part.getKey()), part.getValue());
            }
        }
        sound = usual;
    }

    Path create(String lines) throws IOException {
        Path file = new PoolSets(dir).write("r.set", lines);
        try (ObjectPool pool = ObjectPool.at(file).layout("bank").options(PAGES).create()) {
            for (int i = 0; i < OBJECTS; i++) {
                add(pool, i);
            }
        }
        return file;
    }

    /** Each word of an object tells which it is and where. */
    static void add(ObjectPool pool, int number) {
        pool.transaction(
                tx -> {
                    Ref object = tx.allocate(OBJECT_BYTES, 7);
                    for (int at = 0; at < OBJECT_BYTES; at += 512) {
                        tx.setLong(object, at, (long) number << 32 | at);
                    }
                    tx.setRef(pool.root(1024), 16L * number, object);
                });
    }

    void requireContent() {
        try (ObjectPool pool = ObjectPool.at(set).layout("bank").options(PAGES).open()) {
            for (int i = 0; i < OBJECTS; i++) {
                Ref object = pool.getRef(pool.root(1024), 16L * i);
                for (int at = 0; at < OBJECT_BYTES; at += 512) {
                    assertThat(pool.getLong(object, at)).isEqualTo((long) i << 32 | at);
                }
            }
        }
    }

    /** In place of the one that is there. */
    void createAnew(String lines) throws IOException {
        lose(PARTS.toArray(new String[0]));
        lose("r.set");
        set = create(lines);
        sound = bytes();
    }

    void write(String lines) throws IOException {
        new PoolSets(dir).write("r.set", lines);
    }

    /** The pool uses 12 MiB of the parts, and has objects in them. */
    void restoreIntoLargerParts(String lines) throws IOException {
        Path small = dir.resolve("small");
        try (ObjectPool pool =
                ObjectPool.at(small).layout("bank").size(12 << 20).options(PAGES).create()) {
            for (int i = 0; i < 6; i++) {
                add(pool, i);
            }
        }
        Run.farheap("backup", small, dir.resolve("backup")).succeeded();
        lose(PARTS.toArray(new String[0]));
        write(lines);
        Run.farheap("restore", dir.resolve("backup"), set).succeeded();
    }

    /** Those that are in use at an image offset. */
    void freeObjectsAt(long imageOffset) {
        try (ObjectPool pool = ObjectPool.at(set).layout("bank").options(PAGES).open()) {
            for (int i = 0; i < OBJECTS; i++) {
                long place = 16L * i;
                Ref object = pool.getRef(pool.root(1024), place);
                if (Math.abs(object.offset() + OBJECT_BYTES / 2 - imageOffset) < MIB / 2) {
                    pool.transaction(
                            tx -> {
                                tx.free(object);
                                tx.setRef(pool.root(1024), place, Ref.NULL);
                            });
                }
            }
        }
    }

    Map<String, byte[]> bytes() throws IOException {
        Map<String, byte[]> all = new TreeMap<>();
        for (String part : PARTS) {
            if (Files.exists(dir.resolve(part))) {
                all.put(part, Files.readAllBytes(dir.resolve(part)));
            }
        }
        return all;
    }

    void lose(String... parts) throws IOException {
        for (String part : parts) {
            Files.delete(dir.resolve(part));
        }
    }

    void flip(String part, int offset) throws IOException {
        byte[] bytes = Files.readAllBytes(dir.resolve(part));
        bytes[offset] ^= 1;
        Files.write(dir.resolve(part), bytes);
    }

    /** In the file of a later part, of an image offset. */
    static int inFile(int imageOffset, int partOffset) {
        return imageOffset - partOffset + PAGE;
    }

    Run refused(String... why) throws IOException {
        Map<String, byte[]> before = bytes();
        Run.farheap("sync", "-d", set).failedWith(ExitCode.BAD_DATA, why);
        Run run = Run.farheap("sync", set).failedWith(ExitCode.BAD_DATA, why);
        Map<String, byte[]> after = bytes();
        assertThat(after.keySet()).isEqualTo(before.keySet());
        before.forEach((part, bytes) -> assertThat(after.get(part)).isEqualTo(bytes));
        assertThat(dir.toFile().list()).noneMatch(name -> name.endsWith("restoring"));
        return run;
    }

    void made() throws IOException {
        Run run = Run.farheap("sync", set).succeeded();
        assertThat(run.out()).contains(set + ": synchronized");
        assertThat(dir.toFile().list()).noneMatch(name -> name.contains("farheap-resto"));
        Map<String, byte[]> now = bytes();
        for (String part : PARTS) {
            byte[] content = Arrays.copyOfRange(now.get(part), PAGE, now.get(part).length);
            byte[] was = Arrays.copyOfRange(sound.get(part), PAGE, sound.get(part).length);
            assertThat(content).as(part).isEqualTo(was);
        }
        Run.farheap("check", set).succeeded();
        Run.farheap("verify", set).succeeded();
        requireContent();
    }
}
