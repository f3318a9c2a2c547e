package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.ObjectPool;
import io.farheap.it.support.Machines;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The machine of a pool is lost, its replica is promoted, and a C program is the first to open it:
 * libpmemobj merges free memory by the footers that the replica got in its records.
 */
@Tag("deep")
@Timeout(180)
class PromotedInteropTest {
    private static final int TRANSACTIONS = 300;

    /** With which no other objects fit: every free block is looked at, and used. */
    private static final int LARGE = 262_128;

    @ParameterizedTest
    @ValueSource(longs = {3, 4, 5})
    void cFillsAPromotedReplicaAndLeavesEveryObjectAsItWas(long seed) throws Exception {
        NativeJudge.require();
        try (Machines machines = Machines.with("there")) {
            machines.configure("there", "journal-size = 16M");
            Path copySet = machines.poolSet("there", "copy.set", "48M");
            ObjectPool.create(machines.poolSet("here", "bank.set", "48M"), "").close();
            Path set = machines.poolSet("here", "bank.set", "48M", "there copy.set");
            Path copy = machines.machine("there").resolve("copy.part0");

            int exit =
                    machines.java(
                                    HaltedWorkload.class,
                                    set.toString(),
                                    Long.toString(seed),
                                    Integer.toString(TRANSACTIONS))
                            .start()
                            .waitFor();
            assertThat(exit).isEqualTo(HaltedWorkload.HALTED);
            await().until(() -> machines.anyAgentOf(copy).isEmpty());
            int promoted =
                    machines.farheap("promote", "copy.set")
                            .directory(machines.machine("there").toFile())
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor();
            assertThat(promoted).isZero();
            assertThat(ObjectPool.check(copySet).inconsistencies()).isEmpty();
            Path looked = Files.copy(copy, copy.resolveSibling("looked-at"));
            Path lookedSet =
                    machines.write(
                            copy.resolveSibling("looked-at.set"),
                            "PMEMPOOLSET\n48M " + looked + "\n");
            Listing expected = Listing.here(lookedSet);
            assertThat(expected.objects()).hasSizeGreaterThan(20);

            int filled = filled(copySet, LARGE) + filled(copySet, 100);

            assertThat(filled).isPositive();
            assertThat(NativeJudge.list(copySet).objects()).containsAll(expected.objects());
            NativeJudge.assertConsistent(copySet);
            try (ObjectPool pool = ObjectPool.open(copySet, "")) {
                assertThat(Listing.of(pool).objects()).containsAll(expected.objects());
            }
        }
    }

    private static int filled(Path pool, int size) {
        NativeJudge.Answer answer =
                NativeJudge.judge("fill", pool.toString(), Integer.toString(size));
        assertThat(answer).returns(0, NativeJudge.Answer::exitCode);
        return Integer.parseInt(answer.out().substring("filled ".length()).strip());
    }
}
