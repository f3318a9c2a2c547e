package io.farheap.tools.verify;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.farheap.poolset.PoolSet;
import io.farheap.tools.verify.CopyResult.Finding;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What a comparison of all copies found.
 *
 * @param poolset the poolset file
 * @param number the pool's number; null: no local copy has one
 * @param open whether somebody has the pool open: nothing was compared then
 * @param openIn the process that has it, where it can be seen
 * @param comparedBytes bytes of one image that were compared
 * @param equal whether all copies were compared, and are equal
 * @param freeMemoryKnown whether free memory, which means nothing, could be left out
 * @param verdict what follows, in a sentence
 * @param nextStep what an operator can type; empty: nothing needs to be done
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record VerifyResult(
        String poolset,
        Long number,
        boolean open,
        Long openIn,
        long comparedBytes,
        boolean equal,
        boolean freeMemoryKnown,
        String verdict,
        String nextStep,
        List<CopyResult> copies) {
    private static final int DIFFERENT = 1;
    private static final int IN_USE = 3;
    private static final int NOT_ALL_EQUAL = 5;

    /**
     * What a run says that made every copy but one, and compared each with that one as it made it.
     *
     * @param number the pool's number
     * @param reference the place of that one in the poolset file
     */
    public static VerifyResult ofCopiesMade(Path poolset, PoolSet set, long number, int reference) {
        List<CopyResult> copies = new ArrayList<>();
        for (int place = 0; place < set.replicas().size(); place++) {
            copies.add(CopyResult.equal(place, set.replicas().get(place), place == reference));
        }
        return new VerifyResult(
                poolset.toString(),
                number,
                false,
                null,
                set.poolSize(),
                true,
                true,
                VerifySummary.allEqual(copies.size()),
                "",
                copies);
    }

    /** What a command that compares ends with. */
    @JsonIgnore
    public int exitCode() {
        if (equal) {
            return 0;
        }
        boolean wrong = hasAny(Finding.WRONG, Finding.DIFFERENT, Finding.BROKEN);
        return wrong ? DIFFERENT : open ? IN_USE : NOT_ALL_EQUAL;
    }

    private boolean hasAny(Finding... findings) {
        List<Finding> wanted = List.of(findings);
        return copies.stream().anyMatch(copy -> wanted.contains(copy.finding()));
    }
}
