package io.farheap.objects.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The judge of histories, judged by histories of which the answer is known. */
class SerialisabilityCheckTest {
    private final List<RecordedTransaction> history = new ArrayList<>();

    @Test
    void oneAfterTheOtherIsFine() {
        tx("a", 1, 2, "0:0", "0:1");
        tx("b", 3, 4, "0:1", "0:2");
        tx("c", 5, 6, "0:2", "");
        assertThat(problem()).isEmpty();
    }

    @Test
    void whoOverlapsMayComeInAnyOrder() {
        tx("a", 1, 9, "0:0", "0:1");
        tx("b", 2, 3, "0:0 1:0", "1:5");
        tx("c", 4, 5, "0:0 1:5", "");
        assertThat(problem()).isEmpty();
    }

    @Test
    void aLostUpdateIsSeen() {
        tx("a", 1, 5, "0:0", "0:1");
        tx("b", 2, 6, "0:0", "0:2");
        assertThat(problem()).contains("An update is lost");
    }

    @Test
    void writeSkewIsSeen() {
        tx("a", 1, 5, "0:0 1:0", "0:1");
        tx("b", 2, 6, "0:0 1:0", "1:2");
        assertThat(problem()).contains("No order");
    }

    @Test
    void aReadOfTwoInstantsIsSeen() {
        tx("a", 1, 9, "0:0 1:0", "0:1 1:2");
        tx("b", 2, 8, "0:1 1:0", "");
        assertThat(problem()).contains("No order");
    }

    @Test
    void aReadOfWhatWasOverBeforeItBeganIsSeen() {
        tx("a", 1, 2, "0:0", "0:1");
        tx("b", 3, 4, "0:0", "");
        assertThat(problem()).contains("No order");
    }

    @Test
    void twoReadersThatDisagreeAreSeen() {
        tx("a", 1, 20, "0:0", "0:1");
        tx("b", 1, 20, "1:0", "1:2");
        tx("c", 2, 19, "0:1 1:0", "");
        tx("d", 2, 19, "0:0 1:2", "");
        assertThat(problem()).contains("No order");
    }

    @Test
    void aReadOfWhatWasRolledBackIsSeen() {
        tx("a", 1, 5, "0:0", "0:1").committed = false;
        tx("b", 2, 6, "0:1", "");
        assertThat(problem()).contains("Nobody committed");
    }

    private String problem() {
        return SerialisabilityCheck.problemOf(history);
    }

    private RecordedTransaction tx(String name, long begin, long end, String reads, String writes) {
        RecordedTransaction tx = new RecordedTransaction(name, begin);
        tx.end = end;
        tx.committed = true;
        for (String read : reads.split(" ")) {
            String[] parts = read.split(":");
            tx.reads.put(Integer.valueOf(parts[0]), Long.valueOf(parts[1]));
        }
        for (String write : writes.isEmpty() ? new String[0] : writes.split(" ")) {
            String[] parts = write.split(":");
            tx.writes.put(Integer.valueOf(parts[0]), Long.valueOf(parts[1]));
        }
        history.add(tx);
        return tx;
    }
}
