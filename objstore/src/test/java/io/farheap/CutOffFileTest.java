package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.Ref;
import io.farheap.check.OpeningCheck;
import io.farheap.engine.PoolEngine;
import io.farheap.engine.TxSettings;
import io.farheap.pmemobj.ObjectList;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolSource;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Somebody makes a part file shorter while the pool is open. */
class CutOffFileTest {
    private static final long SIZE = 16L << 20;
    private static final int OBJECT = 1 << 20;
    private static final int WARM = 20_000;
    private static final byte[] ONES = new byte[9];

    @TempDir private Path directory;

    private Path file() {
        return directory.resolve("pool");
    }

    private static List<Ref> objects(ObjectPool pool) {
        List<Ref> made = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            made.add(pool.compute(tx -> tx.allocateZeroed(OBJECT, 1)));
        }
        return made;
    }

    private void cutTo(long size) {
        cut(file(), size);
    }

    private static void cut(Path file, long size) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            FileChannel unused = channel.truncate(size);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void requireNamed(Throwable thrown, long size) {
        assertThat(thrown)
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining(file().toString())
                .hasMessageContaining("it has " + size + " bytes, and the pool needs " + SIZE);
    }

    /** Of a call that is compiled the JVM may tell outside of it, once; the next one is named. */
    private static Throwable met(ThrowingCallable call, ObjectPool pool, Ref cut) {
        Throwable thrown = catchThrowable(call);
        return thrown instanceof InternalError
                ? catchThrowable(() -> pool.transaction(tx -> tx.getLong(cut, 0)))
                : thrown;
    }

    static Stream<Arguments> uses() {
        return Stream.of(
                use("read", (pool, at) -> pool.getLong(at, 8)),
                use("read bytes", (pool, at) -> pool.readBytes(at, 0, 10_000)),
                use("read in a transaction", (pool, at) -> pool.compute(tx -> tx.getLong(at, 8))),
                use("set", (pool, at) -> pool.setLong(at, 8, 7)),
                use("write", (pool, at) -> pool.writeBytes(at, 0, new byte[10_000])),
                use(
                        "store in place",
                        (pool, at) ->
                                pool.transaction(
                                        tx ->
                                                tx.snapshot(at, 0, 64)
                                                        .set(ValueLayout.JAVA_LONG, 0, 1))),
                use("free", (pool, at) -> pool.transaction(tx -> tx.free(at))),
                use("copy", (pool, at) -> pool.memory().copy(at, 0, at, 64, 64)),
                use("fill", (pool, at) -> pool.memory().fill(at, 0, 64, (byte) 1)),
                use(
                        "persist",
                        (pool, at) ->
                                pool.memory()
                                        .raw()
                                        .persistBytes(
                                                at.offset(), 0, MemorySegment.ofArray(ONES), 0, 9)),
                use("free what a field refers to", (pool, at) -> pool.atomic().free(at, 0)),
                use("make a list", (pool, at) -> pool.list(at, 64, 0)),
                use("flush", (pool, at) -> pool.memory().flush(at, 64, 8)),
                use("reallocate", (pool, at) -> pool.atomic().reallocate(at, 1, 1)));
    }

    private static Arguments use(String name, BiConsumer<ObjectPool, Ref> use) {
        return Arguments.of(name, use);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("uses")
    void whoMeetsItIsToldTheFileAndItsSizeAndThePoolIsBroken(
            String name, BiConsumer<ObjectPool, Ref> use) throws IOException {
        for (long left : List.of(SIZE / 2, 4096L, 0L)) {
            ObjectPool pool = ObjectPool.at(file()).layout("cut").size(SIZE).create();
            Ref last = objects(pool).getLast();
            pool.transaction(tx -> tx.setLong(last, 0, 1));
            cutTo(left);

            Throwable thrown = met(() -> use.accept(pool, last), pool, last);
            if (!name.equals("free") || left < SIZE / 2) {
                requireNamed(thrown, left);
                requireNamed(catchThrowable(() -> pool.transaction(tx -> {})), left);
                requireNamed(catchThrowable(() -> pool.getLong(last, 0)), left);
                assertThat(
                                ((FarheapException) catchThrowable(() -> pool.getLong(last, 0)))
                                        .category())
                        .isEqualTo(Category.BAD_DATA);
            }
            requireNamed(catchThrowable(pool::close), left);
            Files.delete(file());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whereTheCodeIsCompiledToo(boolean reads) {
        ObjectPool pool = ObjectPool.at(file()).layout("cut").size(SIZE).create();
        List<Ref> all = objects(pool);
        Ref last = all.getLast();
        long sum = 0;
        for (int i = 0; i < WARM; i++) {
            sum += use(pool, all.get(i % 8), reads, i);
        }
        assertThat(sum).isPositive();
        cutTo(SIZE / 2);

        Throwable first = catchThrowable(() -> use(pool, last, reads, 1));
        if (!(first instanceof InternalError)) { // the JVM may tell of it outside of the call, once
            requireNamed(first, SIZE / 2);
        }
        requireNamed(catchThrowable(() -> pool.transaction(tx -> tx.getLong(last, 0))), SIZE / 2);
        requireNamed(catchThrowable(() -> use(pool, all.getFirst(), reads, 1)), SIZE / 2);
        requireNamed(catchThrowable(pool::close), SIZE / 2);
    }

    private static long use(ObjectPool pool, Ref object, boolean reads, long value) {
        if (reads) {
            return 1 + pool.getLong(object, 8 * (value % 1000));
        }
        pool.setLong(object, 8 * (value % 1000), value);
        return 1;
    }

    @Test
    void broughtBackItIsOpenedAsItWas() throws IOException {
        ObjectPool pool = ObjectPool.at(file()).layout("cut").size(SIZE).create();
        Ref last = objects(pool).getLast();
        pool.setLong(last, 0, 4711);
        byte[] backup = Files.readAllBytes(file());
        cutTo(SIZE / 2);
        requireNamed(met(() -> pool.getLong(last, 0), pool, last), SIZE / 2);
        assertThatThrownBy(pool::close).isInstanceOf(FarheapException.class);
        assertThatThrownBy(() -> ObjectPool.open(file(), "cut"))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining(file().toString());

        Files.write(file(), backup);
        try (ObjectPool again = ObjectPool.open(file(), "cut")) {
            assertThat(again.getLong(last, 0)).isEqualTo(4711);
        }
    }

    @Test
    void aListWhoseElementsAreCutOff() {
        for (BiConsumer<ObjectList, Ref> use :
                List.<BiConsumer<ObjectList, Ref>>of(
                        (list, element) -> list.next(element),
                        (list, element) -> list.last(),
                        (list, element) -> assertThat(list.iterator()).isNotNull(),
                        (list, element) -> list.remove(element),
                        (list, element) -> list.moveFirst(list, element))) {
            ObjectPool pool = ObjectPool.at(file()).layout("cut").size(SIZE).create();
            Ref head = pool.root(64);
            Ref element = objects(pool).getLast();
            ObjectList list = pool.list(head, 0, 0);
            list.insertLast(element);
            cutTo(SIZE / 2);

            requireNamed(met(() -> use.accept(list, element), pool, element), SIZE / 2);
            requireNamed(catchThrowable(() -> pool.getLong(head, 0)), SIZE / 2);
            requireNamed(catchThrowable(pool::close), SIZE / 2);
            remove();
        }
    }

    @Test
    void aRootThatIsToGrow() {
        for (Consumer<ObjectPool> growth :
                List.<Consumer<ObjectPool>>of(
                        pool -> pool.root(128), pool -> pool.root(128, fresh -> {}))) {
            ObjectPool pool = ObjectPool.at(file()).layout("cut").size(SIZE).create();
            Ref root = pool.root(64);
            cutTo(0);

            requireNamed(met(() -> growth.accept(pool), pool, root), 0);
            requireNamed(catchThrowable(pool::close), 0);
            remove();
        }
    }

    /** What a call of it meets is the JVM's error; the pool is ended, and says so, with its end. */
    @Test
    void aTransactionByHand() {
        ObjectPool pool = ObjectPool.at(file()).layout("cut").size(SIZE).create();
        Ref last = objects(pool).getLast();
        cutTo(SIZE / 2);

        Throwable met =
                catchThrowable(
                        () -> {
                            try (ManualTransaction manual = pool.begin()) {
                                manual.transaction().getLong(last, 8);
                            }
                        });

        assertThat(met).isInstanceOf(InternalError.class);
        assertThat(met.getSuppressed()).hasSize(1);
        requireNamed(met.getSuppressed()[0], SIZE / 2);
        requireNamed(catchThrowable(() -> pool.transaction(tx -> {})), SIZE / 2);
        requireNamed(catchThrowable(pool::close), SIZE / 2);
    }

    @Test
    void aCommitByHand() {
        ObjectPool pool = ObjectPool.at(file()).layout("cut").size(SIZE).create();
        Ref last = objects(pool).getLast();
        try (ManualTransaction manual = pool.begin()) {
            manual.transaction().setLong(last, 8, 1);
            cutTo(SIZE / 2);
            requireNamed(catchThrowable(manual::commit), SIZE / 2);
        }
        requireNamed(catchThrowable(pool::close), SIZE / 2);
    }

    @Test
    void theSecondLocalReplica() throws IOException {
        Path set = directory.resolve("set");
        Path copy = directory.resolve("copy");
        Files.writeString(set, "PMEMPOOLSET\n16M " + file() + "\nREPLICA\n16M " + copy + "\n");
        ObjectPool pool = ObjectPool.create(set, "cut");
        Ref last = objects(pool).getLast();
        cut(copy, SIZE / 2);

        for (Throwable told :
                List.of(
                        catchThrowable(() -> pool.transaction(tx -> tx.setLong(last, 0, 1))),
                        catchThrowable(() -> pool.transaction(tx -> {})),
                        catchThrowable(() -> pool.getLong(last, 0)),
                        catchThrowable(pool::close))) {
            assertThat(told)
                    .isInstanceOf(FarheapException.class)
                    .hasMessageContaining(copy + " was cut off")
                    .hasMessageContaining("it has " + SIZE / 2 + " bytes");
        }
    }

    /** The rest of the page that the file ends in reads as zeros, and nobody is told. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void zerosBehindTheEndGoToNoReplica(boolean aheadOfTheCommit) {
        ObjectPool.at(file()).layout("cut").size(SIZE).create().close();
        RecordingSink sink = new RecordingSink();
        sink.pieceEntryBytes = aheadOfTheCommit ? 4096 : 0;
        try (PoolFiles files = PoolFiles.open(PoolSource.of(file()), "cut", new OpeningCheck())) {
            PoolEngine engine =
                    PoolEngine.open(
                            files.memory(), TxSettings.DEFAULTS, (descriptor, view) -> sink);
            ObjectPool pool = ObjectPool.over(engine, files.poolId());
            Ref last = objects(pool).getLast();
            long end = endInAPageOf(last);
            int records = sink.records.size();

            Throwable told =
                    catchThrowable(
                            () ->
                                    pool.transaction(
                                            tx -> {
                                                if (aheadOfTheCommit) {
                                                    Ref fresh = tx.allocate(OBJECT, 1);
                                                    cutTo(endInAPageOf(fresh));
                                                } else {
                                                    cutTo(end);
                                                    MemorySegment behind =
                                                            tx.snapshot(
                                                                    last,
                                                                    end - last.offset() + 100,
                                                                    64);
                                                    behind.set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
                                                }
                                            }));

            requireNamed(told, sizeOfFile());
            requireNamed(catchThrowable(() -> pool.transaction(tx -> {})), sizeOfFile());
            assertThat(sink.records).hasSize(records);
            requireNamed(catchThrowable(files::close), sizeOfFile());
        }
    }

    private static long endInAPageOf(Ref object) {
        return (object.offset() & -4096) + 8192 + 96;
    }

    private long sizeOfFile() {
        try {
            return Files.size(file());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** A program has files of its own. */
    @Test
    void anotherFileOfTheProgramIsNotThePools() throws IOException {
        Path own = Files.write(directory.resolve("own"), new byte[8192]);
        try (ObjectPool pool = ObjectPool.at(file()).layout("cut").size(SIZE).create();
                FileChannel channel =
                        FileChannel.open(own, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            Ref root = pool.root(8192);
            pool.setLong(root, 0, 4711);
            MemorySegment mapped =
                    channel.map(FileChannel.MapMode.READ_WRITE, 0, 8192, Arena.ofAuto());
            cut(own, 0);

            assertThatThrownBy(
                            () ->
                                    pool.transaction(
                                            tx -> {
                                                tx.setLong(root, 0, 4712);
                                                tx.writeBytes(root, 8, mapped.asSlice(0, 4096));
                                            }))
                    .isInstanceOf(InternalError.class);
            assertThatThrownBy(() -> pool.memory().copy(mapped, 0, root, 8, 4096))
                    .isInstanceOfAny(FarheapException.class, InternalError.class)
                    .hasMessageNotContaining("was cut off");

            assertThat(pool.getLong(root, 0)).isEqualTo(4711);
            pool.setLong(root, 0, 4713);
            assertThat(pool.getLong(root, 0)).isEqualTo(4713);
        }
    }

    private void remove() {
        try {
            Files.delete(file());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
