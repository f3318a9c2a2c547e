package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.layout.Descriptor;
import io.farheap.ulog.LogState.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** C programs die with a pool of two local replicas; this library recovers both, to the same. */
class LocalCopiesInteropTest {
    private static final int ROUNDS = Integer.getInteger("farheap.copies.rounds", 30);
    private static final long SEED = Long.getLong("farheap.copies.seed", 20_261_123);
    private static final int SEGMENTATION_FAULT = 128 + 11;
    private static final int MOST_STEPS_OF_AN_OPENING = 200;

    @TempDir private Path directory;
    private PoolDirectory pool;
    private int switches;

    @BeforeEach
    void worked() throws IOException {
        NativeJudge.require();
        pool = replicated(directory.resolve("pool"));
        ObjectPool.create(pool.pool(), "").close();
        NativeJudge.work(pool.pool(), SEED, 40);
    }

    private static PoolDirectory replicated(Path directory) throws IOException {
        return PoolDirectory.forSet(directory, "16M @/one\nREPLICA\n16M @/two");
    }

    /** libpmemobj stores the number in one copy, then in the next, and recovers after that. */
    @Test
    void aSwitchOfTheNumberThatIsCutBeforeARecoveryIsFinished() throws IOException {
        NativeJudge.die(pool.pool(), SEED + 1, 20);
        cutInTheSwitch();
        recoverBothWays("died in a transaction, then in the next opening");
    }

    @Test
    void aSwitchOfTheNumberThatIsCutAfterARecoveryIsFinished() throws IOException {
        NativeJudge.die(pool.pool(), SEED + 1, 20);
        Listing before = Listing.here(pool.pool());
        cutInTheSwitch();
        assertThat(recoverBothWays("died in an opening")).isEqualTo(before);
    }

    /**
     * libpmemobj checks the second copy's internal logs by an address that it sets later: a program
     * that dies while one is stored can't open its pool again.
     */
    @Test
    void aLogInTheSecondCopyThatEndsTheLibraryIsNoObstacle() throws IOException {
        PoolDirectory before = pool.copyTo(directory.resolve("before"));
        PoolDirectory image = pool;
        for (int steps = 20; turned(image).validLogs(Kind.INTERNAL).isEmpty(); steps += 3) {
            image = before.copyTo(directory.resolve("image"));
            assertThat(NativeJudge.halt(image.pool(), SEED, 60, steps)).isTrue();
        }
        PoolDirectory there = image.copyTo(directory.resolve("there"));
        assertThat(NativeJudge.judge("list", there.pool().toString()).exitCode())
                .as("as many times as it is tried, %s", there)
                .isEqualTo(NativeJudge.judge("list", there.pool().toString()).exitCode())
                .isEqualTo(SEGMENTATION_FAULT);

        Listing here = Listing.here(image.pool());

        assertThat(here.objects()).isNotEmpty();
        assertThat(NativeJudge.list(image.pool())).isEqualTo(here);
        assertThat(NativeJudge.list(turned(image).pool())).isEqualTo(here);
        assertThat(Listing.here(there.pool())).as("after the library died").isEqualTo(here);
    }

    @Test
    void afterEachHaltTheCopiesHoldTheSame() throws IOException {
        Random random = new Random(SEED);
        int halts = 0;
        for (int round = 0; round < ROUNDS; round++) {
            int halt = 1 + random.nextInt(round % 3 == 0 ? 30 : 600);
            halts += NativeJudge.halt(pool.pool(), SEED + round, 40, halt) ? 1 : 0;
            switches += numberOf("one") == numberOf("two") ? 0 : 1;
            recoverBothWays("round " + round + ", halted after " + halt);
        }
        System.out.printf(
                "A C program with two copies was halted %d times, %d in the switch of the number,"
                        + " seed %d%n",
                halts, switches, SEED);
        assertThat(halts).isGreaterThan(ROUNDS / 2);
    }

    /** Halts an opening where the copies have two numbers. */
    private void cutInTheSwitch() throws IOException {
        PoolDirectory before = pool.copyTo(directory.resolve("before"));
        for (int steps = 1; numberOf("one") == numberOf("two"); steps++) {
            assertThat(steps).as("steps of an opening").isLessThan(MOST_STEPS_OF_AN_OPENING);
            before.copyTo(pool.directory());
            assertThat(NativeJudge.halt(pool.pool(), SEED, 1, steps)).isTrue();
        }
    }

    private long numberOf(String part) throws IOException {
        ByteBuffer number = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        try (FileChannel file = FileChannel.open(pool.directory().resolve(part))) {
            assertThat(file.read(number, Descriptor.RUN_ID)).isEqualTo(Long.BYTES);
        }
        return number.getLong(0);
    }

    /** A copy goes to C; what both find is in each of the two replicas. */
    private Listing recoverBothWays(String where) throws IOException {
        PoolDirectory there = pool.copyTo(directory.resolve("native"));
        Listing here;
        try (ObjectPool recovered = ObjectPool.open(pool.pool(), "")) {
            Listing.assertEveryObjectIsWhole(recovered, where);
            here = Listing.of(recovered);
        }
        assertThat(here.objects()).as(where).isNotEmpty();
        assertThat(NativeJudge.list(there.pool())).as("in C, %s", where).isEqualTo(here);
        PoolDirectory turned = turned(pool);
        assertThat(NativeJudge.list(turned.pool())).as("second copy, %s", where).isEqualTo(here);
        NativeJudge.assertConsistent(turned.pool());
        return here;
    }

    /** A copy of the pool, the second replica first. */
    private PoolDirectory turned(PoolDirectory other) throws IOException {
        Path place = other.copyTo(directory.resolve("turned")).directory();
        return PoolDirectory.forSet(place, "16M @/two\nREPLICA\n16M @/one");
    }
}
