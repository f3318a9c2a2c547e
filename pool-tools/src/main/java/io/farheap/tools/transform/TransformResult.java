package io.farheap.tools.transform;

import java.util.List;

/**
 * What a transformation did, or with {@code --dry-run} would do.
 *
 * @param source the poolset file that was
 * @param target the poolset file that is to be
 * @param dryRun whether nothing was changed
 * @param plan what was found to be done, in order
 * @param replicas what became of each replica; empty for a dry run
 */
record TransformResult(
        String source,
        String target,
        boolean dryRun,
        List<String> plan,
        List<ReplicaVerdict> replicas) {}
