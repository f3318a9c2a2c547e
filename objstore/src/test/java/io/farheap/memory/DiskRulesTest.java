package io.farheap.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The rules of the disk journal (docs/disk-journal.md#rules): with all of them no machine recovers
 * to what it must not, and without any one of them some machine does.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DiskRulesTest {
    private static final int MACHINES = Integer.getInteger("disk.machines", 2000);

    /** Without a rule the first wrong one comes long before. */
    private static final int MOST = 60_000;

    /** Without these the first wrong machine comes late. */
    private static final Set<String> LATE =
            Set.of("rewrite-first", "rewrite-not-sync", "superblock-rewrite");

    static Stream<Arguments> rulesOfTheJournal() {
        return """
        journal-before-pool     Checkpointer    writePages settle
        pool-sync               Checkpointer    checkpoint forEach
        superblock-before-reuse Checkpointer    checkpoint checkpoint
        position-first          Checkpointer    checkpoint position
        rewrite-first           JournalRecovery recover    rewrite
        rewrite-not-sync        DiskJournalFile rewrite    write
        superblock-rewrite      JournaledFiles  open       rewriteSuperblock
        replay-sync             JournalRecovery recover    forEach
        poison                  DiskJournal     lead       poison
        bit-first               JournaledFiles  begin      set
        bit-last                JournaledFiles  close      forEach
        """
                .lines()
                .map(line -> line.split(" +"))
                .filter(rule -> Boolean.getBoolean("test.deep") || !LATE.contains(rule[0]))
                .map(rule -> Arguments.of((Object[]) rule));
    }

    @Test
    void withAllRulesNothingIsLost() {
        assertThat(DiskRuleScenario.firstWrong("", MACHINES)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"order-undo", "settle-before-ack"})
    void withoutARuleOfTheCallerSomethingIs(String rule) {
        assertThat(DiskRuleScenario.firstWrong(rule, MOST)).as(rule).isNotNull();
    }

    @ParameterizedTest
    @Tag("sliced")
    @MethodSource("rulesOfTheJournal")
    void withoutARuleOfTheJournalSomethingIs(String rule, String type, String in, String call)
            throws ReflectiveOperationException {
        ClassLoader without = new WithoutCall("io/farheap/memory/" + type, in, call);
        Class<?> scenario = without.loadClass("io.farheap.memory.DiskRuleScenario");
        Method run = scenario.getDeclaredMethod("firstWrong", String.class, int.class);
        run.setAccessible(true);

        assertThat(run.invoke(null, "", MOST)).as(rule).isNotNull();
    }
}
