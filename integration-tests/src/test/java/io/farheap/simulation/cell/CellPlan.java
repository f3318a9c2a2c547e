package io.farheap.simulation.cell;

import java.time.Duration;

/**
 * How large a cell is: pools with three copies each, in three racks, as many on each machine.
 *
 * @param machines a multiple of the rack's
 * @param rack how many machines are in one; there are five racks at least
 * @param ttl of what is announced
 */
record CellPlan(int pools, int machines, int rack, Duration ttl, CellStore.Capacity capacity) {
    static final int COPIES = 3;

    CellPlan {
        if (machines % rack != 0 || machines / rack < 5 || pools % machines != 0) {
            throw new IllegalArgumentException("pools on machines in racks: all multiples");
        }
    }

    /** Where a pool's copy is. Those of two copies on one machine have their third ones apart. */
    int machine(int pool, int copy) {
        int first = pool % machines;
        if (copy == 0) {
            return first;
        }
        int round = pool / machines;
        int half = (machines / rack - 1) / 2;
        int racks = 1 + round % half + (copy == 1 ? 0 : half);
        return (first + racks * rack) % machines;
    }
}
