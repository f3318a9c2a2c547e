package io.farheap.tools.placement;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is to be done about one pool's copies.
 *
 * @param pool its name
 * @param writer the node that writes; empty: not known
 * @param comes machines that are to get a copy
 * @param leaves nodes that are to have none any more, with the reason
 * @param noProposal why nothing is proposed, though something may have to be done; empty: what is
 *     proposed is all there is to do
 * @param steps what is proposed, one after the other
 */
public record PoolMove(
        String pool,
        String writer,
        List<Machine> comes,
        Map<String, String> leaves,
        String noProposal,
        List<MoveStep> steps) {
    /** Copies what may change. */
    public PoolMove {
        comes = List.copyOf(comes);
        leaves = new LinkedHashMap<>(leaves);
        steps = List.copyOf(steps);
    }

    static PoolMove none(String pool, String writer, String why) {
        return new PoolMove(pool, writer, List.of(), Map.of(), why, List.of());
    }

    /** Whether its copies are where they are to be. */
    public boolean isInPlace() {
        return noProposal.isEmpty() && steps.isEmpty();
    }
}
