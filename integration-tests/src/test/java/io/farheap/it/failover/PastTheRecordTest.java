package io.farheap.it.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.it.support.Machines;
import io.farheap.replication.journal.ReplicaState;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Where a record says which copies count, no command goes past it by the way, and none advises
 * that: the next writer would copy over what is committed so.
 */
@Timeout(300)
class PastTheRecordTest {
    private static final int REPLICA = 4;
    private static final int WRONG_USE = 2;

    private final Nodes nodes = new Nodes(Nodes.NAMES);

    /** A command that has ended, and what it said. */
    private record Run(int status, String said) {}

    @BeforeEach
    void write() throws Exception {
        Nodes.Program a = nodes.create("a", 2);
        a.expectOpen();
        a.add(20);
        a.close();
    }

    @AfterEach
    void end() {
        nodes.close();
    }

    private Run farheap(String... words) throws IOException, InterruptedException {
        Process process = nodes.machines.farheap(words).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), said);
    }

    private String at(String node, String file) {
        return nodes.machines.machine(node).resolve(file).toString();
    }

    private void assertRefused(int status, Run run, String... words) {
        assertThat(run.said()).contains(words).doesNotContain("--overwrite", "--from");
        assertThat(run.status()).isEqualTo(status);
    }

    @Test
    @Tag("deep")
    void noCopyBecomesAPoolOrIsCopiedOver() throws Exception {
        long number = nodes.record().number();

        assertRefused(REPLICA, farheap("promote", at("b", "copy.set")), "farheap ha switchover");
        assertRefused(REPLICA, farheap("promote", "c copy.set"), "--despite-record");
        assertRefused(
                REPLICA,
                farheap("sync", "--yes", "--from", "b copy.set", at("a", "writer.set")),
                "farheap ha status");
        assertRefused(
                REPLICA, farheap("sync", "--yes", at("b", "writer.set")), "farheap ha status");
        assertThatThrownBy(() -> ObjectPool.open(Path.of(at("a", "copy.set")), null))
                .hasMessageContaining("is under automatic fail-over");

        assertThat(nodes.slot("b").state()).isEqualTo(ReplicaState.INSYNC);
        assertThat(nodes.slot("b").cur()).isEqualTo(number);
        assertThat(nodes.slot("c").cur()).isEqualTo(number);
        Nodes.Program b = nodes.open("b", 2);
        assertThat(b.expectOpen()).isEqualTo(nodes.acknowledged);
    }

    /** The file that its program opens when it is its turn names the other copies, too. */
    @Test
    @Tag("deep")
    void aNodeThatDoesNotWriteKnowsItsFilesForAReplicas() throws Exception {
        String set = at("b", "writer.set");

        Run status = farheap("status", set);
        assertThat(status.said())
                .contains("INSYNC", "farheap ha status")
                .doesNotContain("sync --", "farheap promote");
        assertThat(status.status()).isZero();
        assertRefused(
                WRONG_USE,
                farheap("backup", set, at("b", "kept")),
                "is a replica of a pool on another machine");
        assertThat(Path.of(at("b", "kept"))).doesNotExist();
    }

    /** What it has in its journal only would be lost. */
    @Test
    void noReplicaIsPutUnderARecordOfItsOwn() throws Exception {
        Files.delete(nodes.store());
        Nodes.Program b = nodes.create("b", 1);
        assertThat(b.next()).startsWith("refused ").contains("farheap promote --despite-record");
        assertThat(nodes.slot("b").state()).isEqualTo(ReplicaState.INSYNC);
        assertThat(nodes.slot("b").foreignOpen()).isFalse();
    }

    /** The way out, where the record is lost for good. */
    @Test
    @Tag("deep")
    void whoKnowsWhatThatMeansMakesOneCopyAPoolWithoutFailOver() throws Exception {
        Machines machines = nodes.machines;
        Run promoted = farheap("promote", "--despite-record", at("b", "copy.set"));
        assertThat(promoted.status()).as(promoted.said()).isZero();
        assertThat(nodes.slot("b").state()).isEqualTo(ReplicaState.PROMOTED);
        assertThat(nodes.slot("b").term()).isZero();
        try (ObjectPool pool = ObjectPool.open(machines.machine("b").resolve("copy.set"), null)) {
            assertThat(pool.getLong(pool.root(8), 0)).isEqualTo(nodes.acknowledged);
        }
        Nodes.Program late = nodes.open("b", 2);
        assertThat(late.next()).startsWith("refused ").contains("has a copy with number");
        assertThat(Files.exists(machines.machine("b").resolve("pool.part0"))).isTrue();
    }

    /** What was committed there may be nowhere else, whatever a new record would say of it. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @Tag("deep")
    void noRecordIsMadeWhileAnotherCopyMayCount(int minCopies) throws Exception {
        long added = makeBAPoolOfItsOwn();
        Files.delete(nodes.store());
        Files.delete(Path.of(at("a", "pool.part0.term")));

        Nodes.Program a = nodes.record("a", minCopies);
        assertThat(a.next())
                .startsWith("refused ")
                .contains("taken over (promoted)", "sync --from");
        assertThat(nodes.store()).doesNotExist();
        assertThat(numberAtB()).isEqualTo(added);
    }

    /** Whether they are newer than the pool here nobody knows, whatever their numbers. */
    @Test
    @Tag("deep")
    void noRecordIsMadeWhileACopyOfAnEarlierOneIsThere() throws Exception {
        Files.delete(nodes.store());
        Files.delete(Path.of(at("a", "pool.part0.term")));

        Nodes.Program a = nodes.record("a", 2);
        assertThat(a.next())
                .startsWith("refused ")
                .contains("it is a copy of an earlier record", "of its term 1", "keep them until");
        assertThat(nodes.store()).doesNotExist();
        assertThat(nodes.slot("b").state()).isEqualTo(ReplicaState.INSYNC);
    }

    /**
     * Of those that were away when an older one was put under a record of its own: their terms are
     * its writer's, too, and it names neither.
     */
    @Test
    @Tag("deep")
    void aNewRecordsWriterOverwritesNoCopyOfTheEarlierOne() throws Exception {
        long older = nodes.acknowledged;
        nodes.machines.killAll("c");
        Nodes.Program a = nodes.open("a", 1);
        a.expectOpen();
        a.add(20);
        nodes.awaitSet("a", "b");
        a.close();
        long newest = nodes.acknowledged;
        nodes.machines.killAll("a");
        nodes.machines.killAll("b");
        nodes.machines.bringUp("c");

        Run promoted = farheap("promote", "--despite-record", at("c", "copy.set"));
        assertThat(promoted.status()).as(promoted.said()).isZero();
        Files.delete(nodes.store());
        Nodes.Program c = nodes.record("c", 1);
        assertThat(c.expectOpen()).isEqualTo(older);
        nodes.acknowledged = older;
        c.add(1);
        long number = nodes.slot("b").cur();
        nodes.machines.bringUp("a");
        nodes.machines.bringUp("b");
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(
                        () ->
                                assertThat(farheap("status", at("c", "writer.set")).said())
                                        .contains("is of another record", "in term 2 of another"));
        c.add(1);
        c.close();

        assertThat(nodes.slot("b").state()).isEqualTo(ReplicaState.INSYNC);
        assertThat(nodes.slot("b").cur()).isEqualTo(number);
        Run kept = farheap("promote", "--despite-record", at("b", "copy.set"));
        assertThat(kept.status()).as(kept.said()).isZero();
        assertThat(numberAt("b")).isEqualTo(newest);
        Files.delete(Path.of(at("a", "pool.part0.term")));
        assertThat(numberAt("a")).as("the first creator's").isEqualTo(newest);
    }

    @Test
    @Tag("deep")
    void theRecordsWriterDoesNotOverwriteACopyThatAPersonHasMadeAPool() throws Exception {
        long added = makeBAPoolOfItsOwn();

        Nodes.Program a = nodes.open("a", 2);
        assertThat(a.expectOpen()).isEqualTo(nodes.acknowledged);
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(
                        () ->
                                assertThat(farheap("status", at("a", "writer.set")).said())
                                        .contains("REFUSED", "may be nowhere else"));
        a.add(5);
        assertThat(nodes.slot("b").state()).isEqualTo(ReplicaState.PROMOTED);
        assertThat(nodes.slot("b").term()).isZero();
        assertThat(numberAtB()).isEqualTo(added);

        // As the refusal says:
        Path b = nodes.machines.machine("b");
        Path aside = Files.createDirectory(b.resolve("aside"));
        List<Path> files;
        try (Stream<Path> all = Files.list(b)) {
            files = all.filter(f -> f.getFileName().toString().startsWith("pool.part0")).toList();
        }
        for (Path file : files) {
            Files.move(file, aside.resolve(file.getFileName()));
        }
        nodes.awaitSet("a", "b", "c");
        a.close();
        assertThat(nodes.slot("b").state()).isEqualTo(ReplicaState.INSYNC);
        try (ObjectPool kept = ObjectPool.open(aside.resolve("pool.part0"), null)) {
            assertThat(kept.getLong(kept.root(8), 0)).isEqualTo(added);
        }
    }

    private long makeBAPoolOfItsOwn() throws Exception {
        Run promoted = farheap("promote", "--despite-record", at("b", "copy.set"));
        assertThat(promoted.status()).as(promoted.said()).isZero();
        try (ObjectPool pool = ObjectPool.open(Path.of(at("b", "copy.set")), null)) {
            Ref root = pool.root(8);
            pool.transaction(tx -> tx.setLong(root, 0, 12_345));
        }
        return 12_345;
    }

    private long numberAtB() {
        return numberAt("b");
    }

    private long numberAt(String node) {
        try (ObjectPool pool = ObjectPool.open(Path.of(at(node, "copy.set")), null)) {
            return pool.getLong(pool.root(8), 0);
        }
    }
}
