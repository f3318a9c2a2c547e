package io.farheap.it.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.it.support.Machines;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** No printed next step destroys the last copy, whatever state the copies are in. */
@Tag("deep")
class SurveyWalkTest {
    private static final int STATES = Integer.getInteger("farheap.survey.states", 90);
    private static final long SEED = Long.getLong("farheap.survey.seed", 1);
    private static final int FEW = 6;

    @Test
    @Timeout(900)
    void everyNextStepLeadsToAPoolWithAllThatReturned() throws Exception {
        walk(FEW, SEED);
    }

    @Test
    @Tag("long")
    @Timeout(3600)
    void everyNextStepOfManyStatesDoes() throws Exception {
        walk(STATES, SEED + 1);
    }

    private static void walk(int states, long seed) throws Exception {
        try (Machines machines = Machines.with("one")) {
            machines.poolSet("one", "copy.set", "16M");
            Path set = machines.here().resolve("pool.set");

            SyncSite.Run run =
                    SyncSite.run(
                            machines.java(
                                    SurveyWalk.class,
                                    set.toString(),
                                    machines.machine("one").toString(),
                                    Long.toString(seed),
                                    Integer.toString(states)));

            run.out().forEach(System.out::println);
            assertThat(run.exitCode()).as("%s", run.err()).isZero();
            assertThat(run.out()).noneMatch(line -> line.startsWith("WRONG"));
            assertThat(run.out().getLast())
                    .startsWith("states " + states + ", steps ")
                    .endsWith("wrong 0");
        }
    }
}
