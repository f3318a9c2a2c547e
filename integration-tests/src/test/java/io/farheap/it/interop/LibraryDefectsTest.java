package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import io.farheap.base.AllocationClassDescriptor.HeaderType;
import io.farheap.base.AllocationOptions;
import io.farheap.base.CheckReport;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.Ref;
import io.farheap.it.interop.NativeJudge.Answer;
import io.farheap.layout.Descriptor;
import io.farheap.tools.Main;
import io.farheap.tools.demo.LocalMachine;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What libpmemobj 1.12.1 does wrong does not happen here: each defect is brought about as it is
 * there, by {@code defects.c} where a program has to.
 */
class LibraryDefectsTest {
    /** Of this many bytes a run of one chunk has 64 units, which the library marks as used. */
    private static final int UNIT = 4048;

    private static final int ONE_CHUNK_OF_UNITS = 64;
    private static final int EXIT_ENVIRONMENT = 3;

    @TempDir Path directory;

    @BeforeAll
    static void needTheNativeLibrary() {
        NativeJudge.require();
    }

    /** The library frees the buffer in recovery, and the object that holds it is lost. */
    @Test
    void recoveryKeepsTheObjectThatHoldsAnUndoLog() throws IOException {
        Path pool = directory.resolve("pool");
        List<String> lines = defects("buffer", pool).out().lines().toList();
        long buffer = Long.parseLong(lines.get(0).substring("buffer ".length()));
        long data = Long.parseLong(lines.get(1).substring("data ".length()));
        Path theirs = Files.copy(pool, directory.resolve("theirs"));
        assertThat(NativeJudge.list(theirs).objects())
                .as("what the library leaves of it")
                .extracting(Listing.Item::offset)
                .containsExactly(data);

        try (ObjectPool opened = ObjectPool.open(pool, "defects")) {
            Ref kept = new Ref(opened.poolId(), data);
            assertThat(Listing.refs(opened.objects()))
                    .containsExactlyInAnyOrder(new Ref(opened.poolId(), buffer), kept);
            byte[] old = new byte[32768];
            Arrays.fill(old, (byte) 'a');
            assertThat(opened.readBytes(kept, 0, old.length)).isEqualTo(old);
            // The log is not linked any more: what its lane does next does not reach it.
            Ref holder = new Ref(opened.poolId(), buffer);
            opened.transaction(tx -> tx.free(holder));
            opened.transaction(tx -> tx.writeBytes(kept, 0, new byte[old.length]));
            assertThat(opened.check().inconsistencies()).isEmpty();
        }
        NativeJudge.assertConsistent(pool);
        assertThat(NativeJudge.list(pool)).isEqualTo(Listing.here(pool));
    }

    /** The library never gives out a unit of such a run, and lists all of them as objects. */
    @Test
    void aClassOf64UnitsCanBeUsed() {
        Path theirs = directory.resolve("theirs");
        assertThat(defects("class", theirs, String.valueOf(UNIT)).out())
                .as("what the library makes of the class")
                .isIn("failed\n", "hangs\n");
        try (ObjectPool pool = ObjectPool.open(theirs, "defects")) {
            assertThat(pool.objects()).as("units that the library lost").isEmpty();
        }

        Path ours = directory.resolve("ours");
        List<Ref> objects = new ArrayList<>();
        try (ObjectPool pool = ObjectPool.at(ours).layout("defects").size(16 << 20).create()) {
            int id =
                    pool.heap()
                            .newAllocationClass(UNIT, 0, ONE_CHUNK_OF_UNITS, HeaderType.COMPACT)
                            .id();
            AllocationOptions options = AllocationOptions.ZEROED.inClass(id);
            for (int i = 0; i < 3 * ONE_CHUNK_OF_UNITS; i++) {
                objects.add(pool.atomic().allocate(UNIT - 16, 1, options));
            }
            pool.atomic().free(objects.remove(ONE_CHUNK_OF_UNITS));
            assertThat(Listing.refs(pool.objects())).containsExactlyInAnyOrderElementsOf(objects);
            assertThat(pool.check().inconsistencies()).isEmpty();
        }
        NativeJudge.assertConsistent(ours);
        assertThat(NativeJudge.list(ours)).isEqualTo(Listing.here(ours));
    }

    /** pmempool takes a part that another process has locked for a broken one and replaces it. */
    @Test
    @Timeout(value = 2, unit = TimeUnit.MINUTES)
    void syncLeavesPartsThatAnotherProcessHasLockedAlone() throws Exception {
        Path set = directory.resolve("pool.set");
        Path part = directory.resolve("part");
        Files.writeString(
                set, "PMEMPOOLSET\n8M %1$s\nREPLICA\n8M %1$s.copy\n".formatted(part.toString()));
        Process holder =
                new ProcessBuilder(
                                NativeJudge.program("defects").toString(), "hold", set.toString())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try (BufferedReader said = holder.inputReader()) {
            assertThat(said.readLine()).isEqualTo("open");
            List<Object> before = identities(part);

            Process sync =
                    new ProcessBuilder(
                                    LocalMachine.java(Main.class.getName(), "sync", set.toString()))
                            .redirectErrorStream(true)
                            .start();
            String answer =
                    new String(sync.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(sync.waitFor()).as(answer).isEqualTo(EXIT_ENVIRONMENT);
            assertThat(answer).contains("in use", String.valueOf(holder.pid()));
            assertThat(identities(part)).isEqualTo(before);
            holder.outputWriter().close();
            assertThat(holder.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            holder.destroyForcibly();
        }
        NativeJudge.assertConsistent(set);
    }

    private static List<Object> identities(Path part) throws IOException {
        List<Object> identities = new ArrayList<>();
        for (String suffix : List.of("", ".copy")) {
            Path file = Path.of(part + suffix);
            identities.add(Files.getAttribute(file, "unix:ino"));
            identities.add(ByteBuffer.wrap(Files.readAllBytes(file)));
        }
        return identities;
    }

    /** The library's check of the heap walks on by nothing, for ever. */
    @Test
    @Timeout(value = 2, unit = TimeUnit.MINUTES)
    void aBlockOfNoChunksEndsTheWalk() throws IOException {
        Path pool = directory.resolve("pool");
        NativeJudge.create(pool, 16);
        NativeJudge.work(pool, 42, 20);
        long firstChunk = Descriptor.DEFAULT_HEAP_OFFSET + 1024 + 64;
        int firstBlock = Files.readAllBytes(pool)[(int) firstChunk + 4];
        for (long chunk : new long[] {0, firstBlock}) {
            Path damaged = Files.copy(pool, directory.resolve("damaged" + chunk));
            long sizeIndex = firstChunk + 8 * chunk + 4;
            try (FileChannel file = FileChannel.open(damaged, StandardOpenOption.WRITE)) {
                ByteBuffer zero = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN);
                assertThat(file.write(zero, sizeIndex)).isEqualTo(4);
            }

            CheckReport report = ObjectPool.check(damaged);

            assertThat(report.isConsistent()).isFalse();
            assertThat(report.inconsistencies().toString()).contains("heap");
            assertThatThrownBy(
                            () -> ObjectPool.open(damaged, null).close(),
                            "chunk %d: %s",
                            chunk,
                            report)
                    .isInstanceOfSatisfying(
                            FarheapException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.BAD_DATA));
        }
    }

    private static Answer defects(String how, Path pool, String... more) {
        List<String> arguments = new ArrayList<>(List.of(how, pool.toString()));
        arguments.addAll(List.of(more));
        Answer answer = NativeJudge.program("defects", arguments.toArray(String[]::new));
        assertThat(answer).as("defects %s", arguments).returns(0, Answer::exitCode);
        return answer;
    }
}
