package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.farheap.base.FarheapException;
import io.farheap.base.PersistenceDomain;
import io.farheap.base.Ref;
import io.farheap.testing.FailingCalls;
import io.farheap.testing.LosingDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every system call of every operation fails once with every error; then the program goes on, or
 * the machine loses power. What was acknowledged is there when the disk works again, and the pool
 * is sound.
 */
class FailingDiskTest {
    private static final long SIZE = 8 << 20;
    private static final long SEED = 20261123;
    private static final int REGION = 60 << 10;
    private static final long TYPE = 5;
    private static final long ALONE = 6;
    private static final int[] ERRORS = {
        FailingCalls.EIO, FailingCalls.ENOSPC, FailingCalls.EINTR, FailingCalls.SHORT
    };

    /** What becomes of the program once a call has failed. */
    private enum Then {
        GOES_ON,
        DIES,
        LOSES_POWER
    }

    @TempDir private Path directory;

    private Path pool;
    private PoolOptions options = PoolOptions.defaults();
    private final StringBuilder counts = new StringBuilder();
    private final List<String> faults = new ArrayList<>();
    private FarheapException last;
    private boolean callFailed;
    private int cases;

    /** One in so many calls fails. */
    private int stride = 1;

    /** Whether each error, and what follows, meets others of these calls. */
    private boolean shifted;

    /** What a reader sees. */
    private record View(long counter, long filled, long objects, long alone, boolean whole) {
        static View of(ObjectPool pool) {
            Ref root = pool.root(REGION);
            long counter = pool.getLong(root, 0);
            boolean whole = true;
            for (long at = 16; at < REGION; at += 8) {
                whole &= pool.getLong(root, at) == pool.getLong(root, 8);
            }
            long filled = pool.getLong(root, 8);
            return new View(counter, filled, count(pool, TYPE), count(pool, ALONE), whole);
        }

        private static long count(ObjectPool pool, long type) {
            long count = 0;
            for (Ref unused : pool.objects(type)) {
                count++;
            }
            return count;
        }
    }

    // What is done to a pool.

    private static void commit(ObjectPool pool) {
        Ref root = pool.root(REGION);
        pool.transaction(tx -> tx.setLong(root, 0, tx.getLong(root, 0) + 1));
    }

    private static void commitAnObject(ObjectPool pool) {
        Ref root = pool.root(REGION);
        pool.transaction(
                tx -> {
                    tx.setLong(tx.allocate(200, TYPE), 0, 1);
                    tx.setLong(root, 0, tx.getLong(root, 0) + 1);
                });
    }

    private static void allocateAlone(ObjectPool pool) {
        Ref unused = pool.atomic().allocate(100, ALONE);
    }

    /** Its undo log outgrows the lane, and what it got for that. */
    private static void commitALot(ObjectPool pool) {
        Ref root = pool.root(REGION);
        pool.transaction(
                tx -> {
                    long next = tx.getLong(root, 8) + 1;
                    for (long at = 8; at < REGION; at += 8) {
                        tx.setLong(root, at, next);
                    }
                });
    }

    private static void commitALargeObject(ObjectPool pool) {
        pool.transaction(tx -> tx.setLong(tx.allocate(1 << 20, TYPE), 0, 1));
    }

    @Test
    @Tag("sliced")
    void onePoolFile() throws IOException {
        pool = directory.resolve("pool");
        shifted = !Boolean.getBoolean("test.deep");
        stride = shifted ? 11 : 1;
        Map<Path, byte[]> used = used(() -> ObjectPool.at(pool).layout("").size(SIZE).create());
        creation("create", () -> ObjectPool.at(pool).layout("").size(SIZE).create());
        everything("", used);
        print();
    }

    @Test
    @Tag("deep")
    void onePoolFileWithADiskJournal() throws IOException {
        pool = directory.resolve("pool");
        options = PoolOptions.builder().persistence(PersistenceDomain.JOURNAL).build();
        stride = Integer.getInteger("disk.stride", 13); // a journal is large, and copied for each
        Map<Path, byte[]> used =
                used(() -> ObjectPool.at(pool).layout("").size(SIZE).options(options).create());
        creation(
                "create",
                () -> ObjectPool.at(pool).layout("").size(SIZE).options(options).create());
        everything(" with a journal", used);
        print();
    }

    /** Of a program that says nothing of journals: where none can be made, it does without. */
    @Test
    @Tag("deep")
    void onePoolFileOnAnOrdinaryDisk() throws IOException {
        try (DiskDirectory disk = DiskDirectory.create()) {
            directory = disk.path();
            pool = directory.resolve("pool");
            stride = Integer.getInteger("disk.stride", 13);
            Map<Path, byte[]> used = used(() -> ObjectPool.at(pool).layout("").size(SIZE).create());
            assertThat(used).hasSize(2);
            creation("create", () -> ObjectPool.at(pool).layout("").size(SIZE).create());
            everything(" on a disk", used);
            print();
        }
    }

    @Test
    @Tag("deep")
    void localReplicas() throws IOException {
        sample();
        pool =
                Files.writeString(
                        directory.resolve("pool.set"),
                        ("PMEMPOOLSET\n8M @/a\n2M @/b\nREPLICA\n10M @/c\n")
                                .replace("@", directory.toString()));
        Map<Path, byte[]> used = used(() -> ObjectPool.create(pool, ""));
        creation("create replicas", () -> ObjectPool.create(pool, ""));
        everything(" with a replica", used);
        print();
    }

    @Test
    @Tag("deep")
    void growth() throws IOException {
        sample();
        Files.createDirectory(directory.resolve("d"));
        pool =
                Files.writeString(
                        directory.resolve("pool.set"),
                        "PMEMPOOLSET\nOPTION SINGLEHDR\n32M " + directory + "/d\n");
        creation("create in a directory", () -> ObjectPool.create(pool, ""));
        Map<Path, byte[]> full =
                used(
                        () -> {
                            ObjectPool made = ObjectPool.create(pool, "");
                            made.heap().setGranularity(2 << 20);
                            for (int i = 0; i < 3; i++) {
                                commitALargeObject(made);
                            }
                            return made;
                        });
        Consumer<ObjectPool> grow =
                opened -> {
                    opened.heap().setGranularity(2 << 20);
                    opened.transaction(
                            tx -> {
                                tx.setLong(tx.allocate(1 << 20, TYPE), 0, 1);
                                tx.setLong(tx.allocate(1 << 20, TYPE), 0, 1);
                            });
                };
        operation("growth", full, grow);
        opening("open of a directory", full);
        print();
    }

    /** One in three, each error and what follows at others of these. */
    private void sample() {
        stride = Integer.getInteger("disk.stride", 3);
        shifted = true;
    }

    private void everything(String name, Map<Path, byte[]> used) {
        opening("open" + name, used);
        opening("recovery" + name, inTransaction(used));
        operation("commit" + name, used, FailingDiskTest::commit);
        operation("commit of an object" + name, used, FailingDiskTest::commitAnObject);
        operation("allocation" + name, used, FailingDiskTest::allocateAlone);
        operation("extension of the log" + name, used, FailingDiskTest::commitALot);
        closing("close" + name, used);
    }

    private void print() {
        System.out.println(
                "system calls x errors x what follows" + counts + ", " + cases + " cases");
        assertThat(faults).isEmpty();
        assertThat(cases).isGreaterThan(50);
    }

    private Map<Path, byte[]> used(Supplier<ObjectPool> create) {
        try (ObjectPool made = create.get()) {
            commit(made);
            commitAnObject(made);
        }
        Map<Path, byte[]> files = LosingDisk.read(directory);
        LosingDisk.write(directory, withoutParts(files));
        return files;
    }

    private Map<Path, byte[]> withoutParts(Map<Path, byte[]> files) {
        Map<Path, byte[]> set = new TreeMap<>(files);
        set.keySet().removeIf(path -> !path.toString().endsWith(".set"));
        return set;
    }

    /** The files of a program that was killed in the middle of a transaction. */
    private Map<Path, byte[]> inTransaction(Map<Path, byte[]> used) {
        LosingDisk.write(directory, used);
        List<Map<Path, byte[]>> copies = new ArrayList<>();
        try (ObjectPool opened = ObjectPool.at(pool).layout("").options(options).open()) {
            Ref root = opened.root(REGION);
            opened.transaction(
                    tx -> {
                        for (long at = 8; at < REGION; at += 8) {
                            tx.setLong(root, at, 99);
                        }
                        copies.add(LosingDisk.read(directory));
                    });
        }
        return copies.get(0);
    }

    // One call after the other.

    @FunctionalInterface
    private interface Case {
        /** Returns whether the call that was to fail was made. */
        boolean run(long call, int error, Then then, String where);
    }

    private void each(String name, Case one) {
        long calls = 0;
        int before = cases;
        int kinds = 0;
        for (int error : ERRORS) {
            for (Then then : differing(error)) {
                long call = shifted ? 1 + kinds++ % stride : 1;
                while (holds(one, call, error, then, name)) {
                    call += stride;
                    cases++;
                }
                calls = Math.max(calls, call - 1);
            }
        }
        counts.append("\n  %s: %d calls, %d cases".formatted(name, calls, cases - before));
    }

    /** A disk that is gone is gone with any error, and what is made again has not failed. */
    private static List<Then> differing(int error) {
        return switch (error) {
            case FailingCalls.EIO -> List.of(Then.values());
            case FailingCalls.ENOSPC -> List.of(Then.GOES_ON, Then.LOSES_POWER);
            default -> List.of(Then.GOES_ON);
        };
    }

    /** False once there is no such call. */
    private boolean holds(Case one, long call, int error, Then then, String name) {
        String where = name + ", call " + call + ", error " + error + ", " + then;
        last = null;
        callFailed = false;
        try {
            return one.run(call, error, then, where);
        } catch (AssertionError e) {
            faults.add(e.getMessage() + " (" + last + "), " + e.getCause());
            return callFailed;
        }
    }

    private static void arm(FailingCalls failing, long call, int error, Then then) {
        if (then == Then.DIES && error > 0 && error != FailingCalls.EINTR) {
            failing.failAllFrom(call, error);
        } else {
            failing.fail(call, error);
        }
    }

    /** Runs it; false where it failed, as it may. */
    private boolean attempt(Runnable action, String where) {
        try {
            action.run();
            return true;
        } catch (FarheapException e) {
            last = e;
            boolean named = false;
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                named |= String.valueOf(cause.getMessage()).contains(directory.toString());
            }
            assertThat(named).as("file named, %s: %s", where, e).isTrue();
            return false;
        } catch (Throwable e) {
            return fail(where, e);
        }
    }

    private void operation(String name, Map<Path, byte[]> used, Consumer<ObjectPool> action) {
        List<View> views = views(used, action);
        each(
                name,
                (call, error, then, where) -> {
                    LosingDisk.write(directory, used);
                    Map<Path, byte[]> left = null;
                    int done = 0;
                    int tried = 1;
                    boolean failed;
                    try (LosingDisk losing = LosingDisk.under(directory);
                            FailingCalls failing = FailingCalls.under(directory)) {
                        ObjectPool opened = ObjectPool.at(pool).layout("").options(options).open();
                        arm(failing, call, error, then);
                        done += attempt(() -> action.accept(opened), where) ? 1 : 0;
                        failed = !failing.failed().isEmpty();
                        callFailed = failed;
                        if (error == FailingCalls.EINTR && !isRename(failing)) {
                            assertThat(done).as(where).isEqualTo(1);
                        }
                        if (then == Then.GOES_ON) {
                            tried++;
                            done += attempt(() -> action.accept(opened), where) ? 1 : 0;
                        } else if (then == Then.LOSES_POWER) {
                            left = losing.losePower(new Random(SEED + cases));
                        }
                        boolean unused = attempt(opened::close, where);
                    }
                    if (left != null) {
                        LosingDisk.write(directory, left);
                    }
                    assertThat(view(where)).as(where).isIn(views.subList(done, tried + 1));
                    return failed;
                });
    }

    private static boolean isRename(FailingCalls failing) {
        return failing.failed().stream().anyMatch(call -> call.startsWith("RENAME"));
    }

    /** After how many times it was done. */
    private List<View> views(Map<Path, byte[]> used, Consumer<ObjectPool> action) {
        LosingDisk.write(directory, used);
        List<View> views = new ArrayList<>();
        try (ObjectPool opened = ObjectPool.at(pool).layout("").options(options).open()) {
            views.add(View.of(opened));
            for (int i = 0; i < 2; i++) {
                action.accept(opened);
                views.add(View.of(opened));
            }
        }
        assertThat(views).doesNotHaveDuplicates();
        return views;
    }

    /** What is there on a disk that works. */
    private View view(String where) {
        View view;
        try (ObjectPool opened = ObjectPool.at(pool).layout("").options(options).open()) {
            view = View.of(opened);
            assertThat(view.whole()).as(where).isTrue();
        } catch (FarheapException e) {
            return fail(where, e);
        }
        assertThat(ObjectPool.check(pool).inconsistencies()).as(where).isEmpty();
        return view;
    }

    private void opening(String name, Map<Path, byte[]> files) {
        LosingDisk.write(directory, files);
        View expected = view(name);
        each(
                name,
                (call, error, then, where) -> {
                    LosingDisk.write(directory, files);
                    Map<Path, byte[]> left = null;
                    boolean failed;
                    try (LosingDisk losing = LosingDisk.under(directory);
                            FailingCalls failing = FailingCalls.under(directory)) {
                        arm(failing, call, error, then);
                        ObjectPool[] opened = new ObjectPool[1];
                        boolean done =
                                attempt(
                                        () ->
                                                opened[0] =
                                                        ObjectPool.at(pool)
                                                                .layout("")
                                                                .options(options)
                                                                .open(),
                                        where);
                        failed = !failing.failed().isEmpty();
                        callFailed = failed;
                        if (error == FailingCalls.EINTR) {
                            assertThat(done).as(where).isTrue();
                        }
                        if (then == Then.LOSES_POWER) {
                            left = losing.losePower(new Random(SEED + cases));
                        }
                        if (done) {
                            boolean unused = attempt(opened[0]::close, where);
                        }
                    }
                    if (left != null) {
                        LosingDisk.write(directory, left);
                    }
                    assertThat(view(where)).as(where).isEqualTo(expected);
                    return failed;
                });
    }

    private void closing(String name, Map<Path, byte[]> used) {
        each(
                name,
                (call, error, then, where) -> {
                    LosingDisk.write(directory, used);
                    Map<Path, byte[]> left = null;
                    View expected;
                    boolean failed;
                    try (LosingDisk losing = LosingDisk.under(directory);
                            FailingCalls failing = FailingCalls.under(directory)) {
                        ObjectPool opened = ObjectPool.at(pool).layout("").options(options).open();
                        commit(opened);
                        commitAnObject(opened);
                        expected = View.of(opened);
                        arm(failing, call, error, then);
                        boolean done = attempt(opened::close, where);
                        failed = !failing.failed().isEmpty();
                        callFailed = failed;
                        if (error == FailingCalls.EINTR) {
                            assertThat(done).as(where).isTrue();
                        }
                        if (then == Then.GOES_ON) {
                            boolean unused = attempt(opened::close, where);
                        } else if (then == Then.LOSES_POWER) {
                            left = losing.losePower(new Random(SEED + cases));
                        }
                    }
                    if (left != null) {
                        LosingDisk.write(directory, left);
                    }
                    assertThat(view(where)).as(where).isEqualTo(expected);
                    return failed;
                });
    }

    /** What was not created is nothing that an open takes for a pool. */
    private void creation(String name, Supplier<ObjectPool> create) {
        Map<Path, byte[]> nothing = withoutParts(LosingDisk.read(directory));
        each(
                name,
                (call, error, then, where) -> {
                    LosingDisk.write(directory, nothing);
                    boolean done;
                    boolean failed;
                    Map<Path, byte[]> left = null;
                    try (LosingDisk losing = LosingDisk.under(directory);
                            FailingCalls failing = FailingCalls.under(directory)) {
                        arm(failing, call, error, then);
                        ObjectPool[] made = new ObjectPool[1];
                        done = attempt(() -> made[0] = create.get(), where);
                        failed = !failing.failed().isEmpty();
                        callFailed = failed;
                        if (error == FailingCalls.EINTR && !isRename(failing)) {
                            assertThat(done).as(where).isTrue();
                        }
                        if (then == Then.LOSES_POWER) {
                            left = losing.losePower(new Random(SEED + cases));
                        }
                        if (done) {
                            failing.heal();
                            commit(made[0]);
                            boolean unused = attempt(made[0]::close, where);
                        }
                    }
                    if (left != null) {
                        LosingDisk.write(directory, left);
                    }
                    requireCreatedOrNot(create, done, then, left != null, where);
                    return failed;
                });
        LosingDisk.write(directory, nothing);
    }

    private void requireCreatedOrNot(
            Supplier<ObjectPool> create, boolean done, Then then, boolean lost, String where) {
        if (done) {
            assertThat(view(where).counter()).as(where).isEqualTo(lost ? 0 : 1);
            return;
        }
        if (then == Then.GOES_ON) {
            assertThat(
                            attempt(
                                    () ->
                                            ObjectPool.at(pool)
                                                    .layout("")
                                                    .options(options)
                                                    .open()
                                                    .close(),
                                    where))
                    .as(where)
                    .isFalse();
            assertThat(attempt(() -> create.get().close(), where)).as(where).isTrue();
            return;
        }
        if (attempt(() -> ObjectPool.at(pool).layout("").options(options).open().close(), where)) {
            assertThat(view(where)).as(where).isEqualTo(new View(0, 0, 0, 0, true));
        }
    }
}
