package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.FailureBehavior;
import io.farheap.base.LogType;
import io.farheap.base.TransactionStage;
import org.junit.jupiter.api.Test;

/** Programs that port from C find its numbers: the ordinals of what are enumerations there. */
class NumbersOfCTest {
    @Test
    void ofTheEnumerationsOfTransactions() {
        assertThat(TransactionStage.values())
                .containsExactly(
                        TransactionStage.NONE,
                        TransactionStage.WORK,
                        TransactionStage.ONCOMMIT,
                        TransactionStage.ONABORT,
                        TransactionStage.FINALLY);
        assertThat(FailureBehavior.values())
                .containsExactly(FailureBehavior.ABORT, FailureBehavior.RETURN);
        assertThat(LogType.values()).containsExactly(LogType.SNAPSHOT, LogType.INTENT);
    }
}
