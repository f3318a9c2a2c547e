package io.farheap.tools.status;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * All copies of a pool as they were found.
 *
 * @param poolset the poolset file
 * @param number the pool's number; null: no copy here has one that can be read
 * @param openIn the process that has the local copy open; null: none that can be seen from here
 * @param openInUnknown why it can't be found out who has it; null: it can
 * @param current whether every copy is current
 * @param compared when the program that has it open ended its last comparison of all remote
 *     replicas with it, ISO 8601, seconds; null: not since it was opened, or not known
 * @param notClosed nobody has it open, and nobody closed it: what that means; null: it was closed,
 *     or is open, or that is not known
 * @param lacking what of the pool the poolset file lacks, and what to do; null: nothing
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PoolStatus(
        String poolset,
        Long number,
        Long openIn,
        String openInUnknown,
        boolean current,
        String compared,
        String notClosed,
        String lacking,
        List<CopyStatus> replicas) {
    public PoolStatus {
        replicas = List.copyOf(replicas);
    }

    static PoolStatus of(
            String poolset,
            Long number,
            Long openIn,
            String openInUnknown,
            String compared,
            String notClosed,
            String lacking,
            List<CopyStatus> copies) {
        boolean current = copies.stream().allMatch(CopyStatus::isGood);
        return new PoolStatus(
                poolset,
                number,
                openIn,
                openInUnknown,
                current,
                compared,
                notClosed,
                lacking,
                copies);
    }
}
