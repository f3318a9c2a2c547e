package io.farheap.tools.status;

import io.farheap.tools.survey.TargetAnswer;
import java.util.List;

/**
 * What the targets have, for a pool whose local copies are judged.
 *
 * @param usable one holds a copy that the pool can be restored from
 * @param silent one does not answer, so nobody knows what it holds
 * @param refusing one answers, and does not say what it holds
 * @param empty each says that it has nothing
 */
record Elsewhere(boolean usable, boolean silent, boolean refusing, boolean empty) {
    static Elsewhere of(List<TargetAnswer> answers) {
        return new Elsewhere(
                answers.stream().anyMatch(a -> a.report() != null && a.finding().isUsable()),
                answers.stream().anyMatch(a -> !a.answers()),
                answers.stream().anyMatch(a -> a.report() == null && a.answers()),
                answers.stream().allMatch(a -> a.report() != null && a.finding().isAbsent()));
    }
}
