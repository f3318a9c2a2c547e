package io.farheap.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.simulation.loader.SimulationLoader;
import java.lang.reflect.InvocationTargetException;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** One seed is one history, and what goes wrong in some order is found in some seed. */
class SchedulerTest {
    private static final int SEEDS = 200;
    private final SimulationLoader loader = new SimulationLoader(null);

    private long run(String toy, long seed) {
        try {
            Class<?> toys = loader.loadClass("io.farheap.simulation.toys.Toys");
            return (long) toys.getMethod(toy, long.class).invoke(null, seed);
        } catch (InvocationTargetException e) {
            throw (RuntimeException) e.getCause();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aSeedGivesTheSameTraceTwiceAndAnotherOneAnother() {
        Set<Long> traces = new HashSet<>();
        for (long seed = 0; seed < SEEDS; seed++) {
            long trace = run("correct", seed);
            assertThat(run("correct", seed)).as("seed %s", seed).isEqualTo(trace);
            traces.add(trace);
        }
        assertThat(traces).hasSize(SEEDS);
    }

    @Test
    void aDeadlockIsFoundAndTellsWhereEachThreadIs() {
        assertThatThrownBy(() -> runAll("deadlock"))
                .hasMessageContaining("nothing can happen any more")
                .hasMessageContaining("Toys.takeBoth");
    }

    @Test
    void aLostWakeUpIsFound() {
        assertThatThrownBy(() -> runAll("lostWakeUp"))
                .hasMessageContaining("nothing can happen any more")
                .hasMessageContaining("Mailbox.await");
    }

    private void runAll(String toy) {
        for (long seed = 0; seed < SEEDS; seed++) {
            long unused = run(toy, seed);
        }
    }
}
