package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.farheap.FarheapException.Category;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
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
        try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.WRITE)) {
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
                                        .persistBytes(
                                                at.offset(), 0, MemorySegment.ofArray(ONES), 0, 9)),
                use("free what a field refers to", (pool, at) -> pool.atomic().free(at, 0)));
    }

    private static Arguments use(String name, BiConsumer<ObjectPool, Ref> use) {
        return Arguments.of(name, use);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("uses")
    void whoMeetsItIsToldTheFileAndItsSizeAndThePoolIsBroken(
            String name, BiConsumer<ObjectPool, Ref> use) throws IOException {
        for (long left : List.of(SIZE / 2, 4096L, 0L)) {
            ObjectPool pool = ObjectPool.create(file(), "cut", SIZE);
            Ref last = objects(pool).getLast();
            pool.transaction(tx -> tx.setLong(last, 0, 1));
            cutTo(left);

            Throwable thrown = catchThrowable(() -> use.accept(pool, last));
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
        ObjectPool pool = ObjectPool.create(file(), "cut", SIZE);
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
        ObjectPool pool = ObjectPool.create(file(), "cut", SIZE);
        Ref last = objects(pool).getLast();
        pool.setLong(last, 0, 4711);
        byte[] backup = Files.readAllBytes(file());
        cutTo(SIZE / 2);
        assertThatThrownBy(() -> pool.getLong(last, 0)).isInstanceOf(FarheapException.class);
        assertThatThrownBy(pool::close).isInstanceOf(FarheapException.class);
        assertThatThrownBy(() -> ObjectPool.open(file(), "cut"))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining(file().toString());

        Files.write(file(), backup);
        try (ObjectPool again = ObjectPool.open(file(), "cut")) {
            assertThat(again.getLong(last, 0)).isEqualTo(4711);
        }
    }
}
