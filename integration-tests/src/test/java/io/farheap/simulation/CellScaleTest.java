package io.farheap.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Many pools under automatic fail-over that share one store, in virtual time: the product's classes
 * of fail-over and of etcd's client, over an etcd that is simulated and copies that are played.
 * Prints the figures of docs/ha-scale.md.
 */
class CellScaleTest {
    private static final int POOLS = 50;
    private static final int MACHINES = 25;
    private static final int RACK = 5;
    private static final int TTL = 10;

    /** Of each pool: who reads record, announcement and order each third of the ttl. */
    private static final double EACH_READS = 9.0 / TTL;

    private static final double EACH_KEEPS_ALIVE = 10.0 / 3 / TTL;
    private static final int COPIES = 3;

    private static CellRun small;

    @BeforeAll
    static void run() {
        small = CellRun.of(POOLS, MACHINES, RACK, TTL, 1);
    }

    @Test
    void aPoolCostsTheStoreThreeReadersAndThreeLeases() {
        small.print();
        assertThat(small.figure("steady.per-pool"))
                .isBetween(
                        0.97 * COPIES * (EACH_READS + EACH_KEEPS_ALIVE),
                        1.03 * COPIES * (EACH_READS + EACH_KEEPS_ALIVE));
        assertThat(small.figure("steady.written")).isZero();
        assertThat(small.figure("stored.leases")).isEqualTo(COPIES * POOLS);
        assertThat(small.figure("stored.watches")).isEqualTo(COPIES * POOLS);
        assertThat(small.figure("stored.keys")).isEqualTo((1 + COPIES) * POOLS);
    }

    @Test
    void everyPoolHasAWriterSoonAfterAllMachinesHaveStarted() {
        assertThat(small.figure("start.taken")).isEqualTo(POOLS);
        assertThat(small.figure("start.max")).isLessThan(5);
    }

    @Test
    void whatAMachineOrARackWroteIsWrittenByOthersSoon() {
        assertThat(small.figure("machine.wrote")).isPositive();
        assertThat(small.figure("machine.taken")).isEqualTo(small.figure("machine.wrote"));
        assertThat(small.figure("machine.max")).isBetween(TTL * 0.7, TTL + 10.0);
        assertThat(small.figure("rack.wrote")).isGreaterThan(RACK);
        assertThat(small.figure("rack.taken")).isEqualTo(small.figure("rack.wrote"));
        assertThat(small.figure("rack.max")).isBetween(TTL * 0.7, TTL + 10.0);
    }

    @Test
    void aStoreThatIsAwayMovesNoWriter() {
        assertThat(small.figure("away.taken")).isZero();
        assertThat(small.figure("away.requests")).isZero();
        assertThat(small.figure("away-back.taken")).isZero();
        assertThat(small.figure("deposed")).isZero();
    }

    @Test
    void aSeedIsTheSameCellEveryTime() {
        assertThat(CellRun.of(POOLS, MACHINES, RACK, TTL, 1).lines()).isEqualTo(small.lines());
    }

    /** {@code -Dcell.pools=10000 -Dcell.machines=500 -Dcell.rack=20 -Dcell.ttl=10}. */
    @Test
    @Tag("simulation")
    void tenThousandPoolsOnFiveHundredMachines() {
        int pools = Integer.getInteger("cell.pools", 10_000);
        int machines = Integer.getInteger("cell.machines", 500);
        int rack = Integer.getInteger("cell.rack", 20);
        int ttl = Integer.getInteger("cell.ttl", TTL);
        long begin = System.nanoTime();
        CellRun large = CellRun.of(pools, machines, rack, ttl, 1);
        large.print();
        System.out.printf("in %.0f s%n", (System.nanoTime() - begin) / 1e9);
        assertThat(large.figure("machine.taken")).isEqualTo(large.figure("machine.wrote"));
        assertThat(large.figure("rack.taken")).isEqualTo(large.figure("rack.wrote"));
        if (ttl == TTL) {
            assertThat(large.figure("steady.per-pool"))
                    .isBetween(
                            0.98 * small.figure("steady.per-pool"),
                            1.02 * small.figure("steady.per-pool"));
        }
    }
}
