package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.farheap.CrashEnumeration.Effort;
import io.farheap.CrashEnumeration.Findings;
import io.farheap.CrashEnumeration.Step;
import io.farheap.testing.CrashSimulation;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/**
 * Power loss in every operation of the API, after each store and before each flush and fence: the
 * pool recovers to the state before the operation or to the one after it, and to nothing else; what
 * the operation stored is durable when it returns; and it flushes and fences nothing in vain.
 *
 * <p>Prints how many states were tried. More of them: {@link DeepCrashStatesTest}; the same with
 * other seeds, for as long as one likes: {@link CrashMarathonTest}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CrashStatesTest {
    static final long SIZE = 12 << 20;

    private static final long SEED = Long.getLong("crash.seed", 20261121);
    private static final boolean DEEP = Boolean.getBoolean("test.deep");

    /**
     * Stores nothing in its new object, which is flushed all the same: what was there before need
     * not be durable, and what is read once must be what is read after a power loss.
     */
    private static final String STORES_NOTHING = "allocate alone";

    private final CrashSimulation machine = SimulatedPool.formatted(SIZE);
    private final ObjectPool pool = SimulatedPool.open(machine);
    private final CrashEnumeration enumeration = new CrashEnumeration(machine, effort(), SEED);
    private final List<Findings> all = new ArrayList<>();

    Effort effort() {
        return DEEP ? new Effort(64, 4, 1, 64) : new Effort(8, 1, 0, 256);
    }

    int leastStates() {
        return DEEP ? 20_000 : 5_000;
    }

    @TestFactory
    @Tag("sliced")
    Stream<DynamicNode> everyOperation() {
        List<DynamicNode> nodes = new ArrayList<>();
        ApiWorkload.steps().forEach((name, step) -> nodes.add(operation(name, step)));
        nodes.add(dynamicTest("the sum", this::printTheSum));
        return nodes.stream();
    }

    private DynamicNode operation(String name, Step step) {
        Findings[] found = new Findings[1];
        return dynamicContainer(
                name,
                Stream.of(
                        dynamicTest(
                                "leaves the old or the new state",
                                () -> {
                                    found[0] = enumeration.explore(pool, name, step);
                                    all.add(found[0]);
                                    assertThat(found[0].wrong()).isEmpty();
                                }),
                        dynamicTest(
                                "is durable when it returns",
                                () -> assertThat(found[0].unflushed()).isEmpty()),
                        dynamicTest(
                                "flushes and fences nothing in vain",
                                () -> checkNothingInVain(found[0]))));
    }

    private static void checkNothingInVain(Findings found) {
        if (!found.name().equals(STORES_NOTHING)) {
            assertThat(found.vain()).isEmpty();
        }
    }

    private void printTheSum() {
        System.out.println(CrashTable.of(all, SEED));
        assertThat(all).hasSameSizeAs(ApiWorkload.steps().keySet());
        assertThat(CrashTable.states(all)).isGreaterThan(leastStates());
    }

    @AfterAll
    void close() {
        enumeration.close();
        pool.close();
    }
}
