package io.farheap.tools.sync;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.farheap.tools.verify.VerifyResult;
import java.util.List;

/**
 * What sync found, did and read back.
 *
 * @param poolset the poolset file
 * @param problems what was missing or broken, a sentence for each
 * @param plan what was to be done to each copy
 * @param steps what was done for it, in order; with --dry-run: would be
 * @param done whether it was done, and not only said
 * @param damages what is wrong with content that came from elsewhere, a sentence each: the pool
 *     here has it now, and no other copy got it
 * @param verified how the copies compared afterwards; null: nothing was changed, nothing was read
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record SyncResult(
        String poolset,
        List<String> problems,
        List<CopyPlan> plan,
        List<String> steps,
        boolean done,
        List<String> damages,
        VerifyResult verified) {}
