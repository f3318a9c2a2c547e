package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.farheap.CrashEnumeration.Step;
import io.farheap.testing.CrashSimulation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Every record that was appended ends in exactly one way, and every roll-back that was begun, too,
 * whatever throws: each store, flush and fence of each operation, and each call of the replicas. A
 * pool whose outcome is not known then says so, and closes at once.
 */
@Timeout(300)
class AppendContractTest {
    private static final boolean DEEP = Boolean.getBoolean("test.deep");

    /** Failing steps of each operation; where it has more, they are drawn. */
    private static final int MOST_FAILURES = DEEP ? 16 : 4;

    /** For all that the operations allocate one after the other. */
    private static final long SIZE = 9 << 20;

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);
    private final CrashSimulation undisturbed = SimulatedPool.formatted(SIZE);
    private final CrashSimulation machine = new CrashSimulation(SIZE);
    private final MemorySegment base = Arena.ofAuto().allocate(SIZE, 64);
    private int operations;
    private int failures;
    private int ended;
    private int broken;

    private Throwable thrown(int number) {
        return switch (number % 3) {
            case 0 -> new StackOverflowError("step " + number);
            case 1 -> new OutOfMemoryError("step " + number);
            default -> new IllegalStateException("step " + number);
        };
    }

    private static <E extends Throwable> void sneak(Throwable thrown) throws E {
        @SuppressWarnings("unchecked")
        E unchecked = (E) thrown;
        throw unchecked;
    }

    private RecordingSink sink(boolean pieces) {
        RecordingSink sink = new RecordingSink();
        sink.pieceEntryBytes = pieces ? 4096 : 0;
        return sink;
    }

    @Test
    @Tag("sliced")
    void whateverStepFails() throws Exception {
        ObjectPool pool = SimulatedPool.open(undisturbed, sink(false));
        boolean pieces = false;
        for (Map.Entry<String, Step> step : ApiWorkload.steps().entrySet()) {
            base.copyFrom(undisturbed.memory().image());
            int events = eventsOf(step.getValue(), pool);
            for (int i = 0; i < Math.min(events, MOST_FAILURES); i++) {
                machine.restore(base, i == 0);
                int failing = events <= MOST_FAILURES ? i : random.nextInt(events);
                failAt(step.getKey(), step.getValue(), failing, random.nextBoolean(), pieces);
            }
            pieces = !pieces;
        }
        pool.close();
        assertThat(failures).as("seed " + seed).isGreaterThan(DEEP ? 1000 : 250);
        assertThat(ended).isGreaterThan(DEEP ? 300 : 75);
        assertThat(broken).isGreaterThan(DEEP ? 50 : 10);
    }

    /** Runs it where nothing fails, which leaves the next one something to work on. */
    private int eventsOf(Step step, ObjectPool pool) throws Exception {
        int[] events = {0};
        failing(undisturbed, () -> events[0]++);
        step.run(pool);
        failing(undisturbed, () -> {});
        return events[0];
    }

    private static void failing(CrashSimulation machine, Runnable event) {
        machine.beforeEachStep(event);
        machine.afterEachStore(event);
    }

    private void failAt(String name, Step step, int failing, boolean forEver, boolean pieces) {
        String where =
                "%s, step %d%s, seed %d"
                        .formatted(name, failing, forEver ? " and all later ones" : "", seed);
        RecordingSink sink = sink(pieces);
        ObjectPool pool = SimulatedPool.open(machine, sink);
        int[] events = {0};
        failing(
                machine,
                () -> {
                    int now = events[0]++;
                    if (now == failing || forEver && now > failing) {
                        AppendContractTest.<RuntimeException>sneak(thrown(failing));
                    }
                });
        Throwable unused = catchThrowable(() -> step.run(pool));
        failing(machine, () -> {});
        failures++;
        assertAllEnded(where, sink, pool);
    }

    @Test
    @Tag("sliced")
    void whateverCallOfTheReplicasFails() throws Exception {
        ObjectPool pool = SimulatedPool.open(undisturbed, sink(false));
        for (Map.Entry<String, Step> step : ApiWorkload.steps().entrySet()) {
            base.copyFrom(undisturbed.memory().image());
            int unused = eventsOf(step.getValue(), pool);
            boolean first = true;
            for (String call : someOf("committed", "rolledBack", "broken", "undone")) {
                machine.restore(base, first);
                first = false;
                failIn(call, step.getKey(), step.getValue());
            }
        }
        pool.close();
        assertThat(broken).isGreaterThan(DEEP ? 50 : 10);
    }

    /** In the usual run one, of each operation another one. */
    private List<String> someOf(String... calls) {
        return DEEP ? List.of(calls) : List.of(calls[operations++ % calls.length]);
    }

    private void failIn(String call, String name, Step step) {
        RecordingSink sink = sink(true);
        ObjectPool pool = SimulatedPool.open(machine, sink);
        sink.losesAnswers = call.equals("rolledBack");
        sink.failing = call;
        if (call.equals("broken")) {
            failTheCommitPoint(sink);
        }
        Throwable unused = catchThrowable(() -> step.run(pool));
        failing(machine, () -> {});
        assertAllEnded(name + ", " + call, sink, pool);
    }

    /** So that there is something that is broken. */
    private void failTheCommitPoint(RecordingSink sink) {
        machine.beforeEachStep(
                () -> {
                    if (!sink.calls.isEmpty() && sink.calls.getLast().startsWith("await")) {
                        throw new OutOfMemoryError("at the commit point");
                    }
                });
    }

    private void assertAllEnded(String where, RecordingSink sink, ObjectPool pool) {
        sink.failing = "";
        sink.losesAnswers = false;
        Throwable refused = catchThrowable(() -> pool.transaction(tx -> tx.allocate(64, 99)));
        pool.close(); // which the sink refuses while a record or a roll-back is open
        boolean isBroken = sink.calls.stream().anyMatch(call -> call.startsWith("broken "));
        if (isBroken) {
            broken++;
            assertThat(refused).as(where).hasMessageContaining("when the pool is opened again");
        }
        for (int ticket = 1; ticket <= sink.records.size(); ticket++) {
            int number = ticket;
            assertThat(sink.calls)
                    .as("%s: ends of record %d", where, ticket)
                    .filteredOn(call -> call.matches("(committed|rolledBack|broken) " + number))
                    .hasSize(1);
            ended++;
        }
        ObjectPool recovered = SimulatedPool.open(machine, new RecordingSink());
        assertThat(recovered.check().inconsistencies()).as(where).isEmpty();
        recovered.close();
    }
}
