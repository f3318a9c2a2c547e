package io.farheap.tools.survey;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.PoolSource;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.session.ReplicaReport;
import io.farheap.tools.survey.CopyState.Condition;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What copies are taken for, and which holds what no other has. */
class SurveyTest {
    private static final long L = 1000;
    private static final long OTHER = 7000;
    private static final RemoteReplica ONE = new RemoteReplica(null, "one", 0, "copy.set");

    @TempDir Path dir;

    private final List<TargetAnswer> answers = new ArrayList<>();
    private Path set;
    private Blob header;

    /** Replica 0: a and b; replica 1: c, here; replica 2: there. */
    @BeforeEach
    void createPool() throws IOException {
        set = NumberedPool.create(dir, "one copy.set");
    }

    private void run(long number) {
        header = NumberedPool.run(set, number);
    }

    private void remote(ReplicaState state, long cur, long next, Blob page, String... faults) {
        SlotReport slot = new SlotReport(state, cur, next, cur, 5, 2, cur, false, false);
        ReplicaReport report = new ReplicaReport(slot, page, 10 << 20, List.of(faults), "");
        answers.add(new TargetAnswer(2, 0, ONE, report, null));
    }

    private Survey survey() {
        return Survey.of(PoolInspection.passing(PoolSource.of(set).existing()), answers);
    }

    private static List<Integer> places(List<CopyState> copies) {
        return copies.stream().map(CopyState::place).toList();
    }

    private static List<CopyState> some(Survey survey, Integer... places) {
        return survey.copies().stream().filter(c -> List.of(places).contains(c.place())).toList();
    }

    @Test
    void anyCopyOfOneNumberHasAllAndTheLastOneIsTheLast() {
        run(L);
        remote(ReplicaState.INSYNC, L, 0, header);
        Survey survey = survey();

        assertThat(survey.whole()).hasSize(3);
        assertThat(survey.most()).isPresent();
        assertThat(survey.lostWith(some(survey, 0, 1))).isEmpty();
        assertThat(survey.lostWith(some(survey, 2))).isEmpty();
        assertThat(places(survey.lostWith(some(survey, 0, 1, 2)))).containsExactly(0, 1, 2);
        assertThat(survey.copies().get(2).holds()).startsWith("number 1000, 7 commits in it");
    }

    @ParameterizedTest(name = "{0} cur={1} next={2}")
    @CsvSource({
        // state, cur, next: what goes if all here goes; if the remote one goes
        "INSYNC,   1000, 0,    '',   ''",
        "INSYNC,   7000, 1000, '',   ''",
        "INSYNC,   7000, 0,    '01', '2'",
        "PROMOTED, 7000, 0,    '01', '2'",
        "SYNCING,  0,    0,    '01', ''",
        "NEW,      0,    0,    '01', ''",
    })
    void onlyNumbersProveThatNothingIsLost(
            ReplicaState state, long cur, long next, String withHere, String withThere) {
        run(L);
        remote(state, cur, next, header);
        Survey survey = survey();

        assertThat(places(survey.lostWith(some(survey, 0, 1))))
                .containsExactlyElementsOf(withHere.chars().mapToObj(c -> c - '0').toList());
        assertThat(places(survey.lostWith(some(survey, 2))))
                .containsExactlyElementsOf(withThere.chars().mapToObj(c -> c - '0').toList());
    }

    @Test
    void anotherPoolIsNothingElsesCopy() {
        run(L);
        byte[] foreign = header.toByteArray();
        foreign[24] ^= 1; // in the poolset uuid
        remote(ReplicaState.INSYNC, L, 0, Blob.of(foreign));
        Survey survey = survey();

        assertThat(survey.most()).isEmpty();
        assertThat(places(survey.lostWith(some(survey, 2)))).containsExactly(2);
        assertThat(places(survey.lostWith(some(survey, 0, 1)))).containsExactly(0, 1);
    }

    @Test
    void whatCanNotBeAskedMayBeTheLast() {
        run(L);
        FarheapException why = new FarheapException(Category.REPLICA, "no route");
        answers.add(new TargetAnswer(2, 0, ONE, null, why));
        Survey survey = survey();

        assertThat(survey.most()).isEmpty();
        assertThat(places(survey.lostWith(some(survey, 0, 1)))).containsExactly(0, 1);
        assertThat(places(survey.lostWith(some(survey, 2)))).containsExactly(2);
    }

    @Test
    void anOlderLocalCopyIsNotProvenToBeContained() throws IOException {
        run(L);
        Path old = Files.copy(dir.resolve("c"), dir.resolve("old"));
        run(OTHER);
        Files.move(old, dir.resolve("c"), StandardCopyOption.REPLACE_EXISTING);
        remote(ReplicaState.INSYNC, OTHER, 0, header);
        Survey survey = survey();

        assertThat(places(survey.lostWith(some(survey, 1)))).containsExactly(1);
        assertThat(survey.lostWith(some(survey, 0))).isEmpty();
    }

    @Test
    void aCreationThatWasCutHoldsNothing() throws IOException {
        Survey made = survey();
        assertThat(made.copies()).hasSize(2).allMatch(CopyState::isEmpty);
        assertThat(made.lostWith(made.copies())).isEmpty();

        try (RandomAccessFile file = new RandomAccessFile(dir.resolve("a").toFile(), "rw")) {
            file.write(new byte[8192]); // headers and descriptor were never written
        }
        assertThat(survey().copies().get(0).condition()).isEqualTo(Condition.NEVER_COMPLETED);

        try (RandomAccessFile file = new RandomAccessFile(dir.resolve("b").toFile(), "rw")) {
            file.seek(3 << 20);
            file.write(1);
        }
        assertThat(survey().copies().get(0).condition())
                .as("something is there that no creation writes")
                .isEqualTo(Condition.DAMAGED);
    }

    @Test
    void whatIsLeftOfALostPoolIsNotEmpty() throws IOException {
        run(L);
        try (RandomAccessFile file = new RandomAccessFile(dir.resolve("a").toFile(), "rw")) {
            file.write(new byte[4096]);
        }
        Files.delete(dir.resolve("c"));
        Survey survey = survey();

        assertThat(survey.copies().get(0).condition()).isEqualTo(Condition.DAMAGED);
        assertThat(survey.copies().get(1).condition()).isEqualTo(Condition.ABSENT);
        assertThat(places(survey.lostWith(survey.copies()))).containsExactly(0);
    }
}
