package io.farheap.tools.info;

import io.farheap.heap.HeapWalk.Block;
import io.farheap.heap.HeapWalk.BlockType;
import io.farheap.heap.HeapWalk.Zone;

/** How full each of a zone's chunks is; in a large zone each cell stands for several. */
final class ZoneCells {
    private final Zone zone;
    private final int chunksPerCell;
    private final double[] used;
    private final int[] known;
    private final int[] runs;

    /**
     * @param most cells at most
     */
    ZoneCells(Zone zone, int most) {
        this.zone = zone;
        chunksPerCell = Math.max(1, Math.ceilDiv(zone.chunks(), most));
        int cells = Math.ceilDiv(zone.chunks(), chunksPerCell);
        used = new double[cells];
        known = new int[cells];
        runs = new int[cells];
    }

    void add(Block block) {
        boolean run = block.type() == BlockType.RUN;
        double share = block.type() == BlockType.USED ? 1 : 0;
        if (run && block.run() == null) {
            return;
        }
        if (run && block.run().units() > 0) {
            share = (double) block.run().usedUnits() / block.run().units();
        }
        for (int chunk = block.chunk(); chunk < block.chunk() + block.chunks(); chunk++) {
            int cell = chunk / chunksPerCell;
            if (cell < used.length) {
                used[cell] += share;
                known[cell]++;
                runs[cell] += run ? 1 : 0;
            }
        }
    }

    Zone zone() {
        return zone;
    }

    int chunksPerCell() {
        return chunksPerCell;
    }

    int count() {
        return used.length;
    }

    /** Whether anything of it could be read. */
    boolean isKnown(int cell) {
        return known[cell] > 0;
    }

    /** Whether some of it is divided into units. */
    boolean hasRuns(int cell) {
        return runs[cell] > 0;
    }

    /** From 0, nothing is in use, to 1. */
    double share(int cell) {
        return known[cell] == 0 ? 0 : used[cell] / known[cell];
    }
}
