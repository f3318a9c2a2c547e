package io.farheap.it.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.it.support.Machines;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Real programs, agents and files: the copies of a pool are written in turn, as its record says.
 */
@Timeout(300)
class TakeOverProcessesTest {
    private final Nodes nodes = new Nodes(Nodes.NAMES);

    @AfterEach
    void end() {
        nodes.close();
    }

    @Test
    void theWriterIsKilledAndAnotherCopyHasEveryCommitThatReturned() throws Exception {
        Nodes.Program a = nodes.create("a", 2);
        assertThat(a.expectOpen()).isZero();
        a.add(20);
        nodes.awaitSet("a", "b", "c");
        a.tell("add 500");
        for (int i = 0; i < 40; i++) {
            assertThat(a.next()).startsWith("added ");
        }
        a.kill();
        nodes.machines.takeDown("a");

        Nodes.Program b = nodes.open("b", 2);
        assertThat(b.expectOpen()).isGreaterThanOrEqualTo(nodes.acknowledged);
        assertThat(nodes.record().term()).isEqualTo(2);
        nodes.awaitSet("b", "c");
        b.add(20);
        assertThat(b.show()).isEqualTo("has " + nodes.acknowledged);
        nodes.machines.bringUp("a");
        nodes.awaitSet("a", "b", "c");
        b.close();

        Nodes.Program c = nodes.open("c", 2);
        assertThat(c.expectOpen()).isEqualTo(nodes.acknowledged);
        c.add(5);
        nodes.awaitSet("a", "b", "c");
        c.add(5);
        assertThat(c.show()).isEqualTo("has " + nodes.acknowledged);
    }

    @Test
    @Tag("deep")
    void aWriterThatWasStoppedWakesAndCommitsNothing() throws Exception {
        Nodes.Program a = nodes.create("a", 1);
        a.expectOpen();
        a.add(10);
        Machines.signal("STOP", a.process.toHandle());
        Nodes.Program b = nodes.open("b", 1);
        assertThat(b.expectOpen()).isEqualTo(nodes.acknowledged);
        b.add(10);
        long then = nodes.acknowledged;

        a.tell("add 3");
        Machines.signal("CONT", a.process.toHandle());
        assertThat(a.next()).matches("(failed|deposed) .*");
        await().untilAsserted(() -> assertThat(said(a)).startsWith("deposed ").contains("term 1"));
        assertThat(nodes.acknowledged).isEqualTo(then);
        b.add(10);
        assertThat(b.show()).isEqualTo("has " + nodes.acknowledged);
    }

    private static String said(Nodes.Program program) throws Exception {
        program.tell("add 1");
        return program.next();
    }

    /** The commit never returned; the copy that has it took over, and the other one lacks it. */
    @Test
    @Tag("deep")
    void aCopyThatLacksARecordGetsItAndIsOfTheFirstSwitch() throws Exception {
        stopWriterWhileCLacksARecord();
        Nodes.Program b = nodes.open("b", 2);
        assertThat(b.expectOpen()).isEqualTo(nodes.acknowledged + 1);
        b.add(5);
        b.kill();
        Nodes.Program c = nodes.open("c", 1);
        assertThat(c.expectOpen()).isEqualTo(nodes.acknowledged);
        assertThat(c.show()).isEqualTo("has " + nodes.acknowledged);
    }

    /** The node had replayed its records before it found that there are too few copies. */
    @Test
    @Tag("deep")
    void itGetsItAlsoInALaterAttempt() throws Exception {
        stopWriterWhileCLacksARecord();
        Path there = nodes.machines.machine("c").resolve("copy.set");
        Path away = there.resolveSibling("away.set");
        Files.move(there, away);
        nodes.machines.takeDown("a");
        assertThat(nodes.open("b", 2).next()).startsWith("refused").contains("min-copies = 2");
        Files.move(away, there);
        nodes.machines.bringUp("a");
        Nodes.Program b = nodes.open("b", 2);
        assertThat(b.expectOpen()).isEqualTo(nodes.acknowledged + 1);
        b.add(5);
        b.kill();
        Nodes.Program c = nodes.open("c", 1);
        assertThat(c.expectOpen()).isEqualTo(nodes.acknowledged);
        assertThat(c.show()).isEqualTo("has " + nodes.acknowledged);
    }

    private void stopWriterWhileCLacksARecord() throws Exception {
        Nodes.Program a = nodes.create("a", 1);
        a.expectOpen();
        a.add(5);
        await().until(() -> nodes.slot("b").tailRecords() == 0);
        long idle = nodes.slot("b").lastSequence();
        ProcessHandle agent = nodes.machines.agentOf(nodes.part("c"));
        Machines.signal("STOP", agent);
        a.tell("add 1");
        await().until(() -> nodes.slot("b").lastSequence() > idle);
        a.kill();
        boolean unused = agent.destroyForcibly();
        assertThat(nodes.record().set()).containsExactly("a", "b", "c");
        assertThat(nodes.slot("c").lastSequence()).isLessThan(nodes.slot("b").lastSequence());
    }

    /** No commit is to be in one copy only, and the third node is away. */
    @ParameterizedTest
    @ValueSource(strings = {"pages", "journal"})
    @Tag("deep")
    void withTwoNodesLeftEachGoesOnFromTheOther(String durability) throws Exception {
        nodes.machines.set("FARHEAP_DURABILITY", durability);
        Nodes.Program a = nodes.create("a", 2);
        a.expectOpen();
        a.add(5);
        nodes.machines.takeDown("c");
        nodes.machines.killAll("c");
        a.add(5);
        assertThat(nodes.record().set()).containsExactly("a", "b");
        a.tell("add 500");
        for (int i = 0; i < 40; i++) {
            assertThat(a.next()).startsWith("added ");
        }
        a.kill();

        Nodes.Program b = nodes.open("b", 2);
        assertThat(b.expectOpen()).isGreaterThanOrEqualTo(nodes.acknowledged);
        assertThat(nodes.record().set()).containsExactly("a", "b");
        b.tell("add 500");
        for (int i = 0; i < 40; i++) {
            assertThat(b.next()).startsWith("added ");
        }
        b.kill();

        Nodes.Program again = nodes.open("a", 2);
        assertThat(again.expectOpen()).isGreaterThanOrEqualTo(nodes.acknowledged);
        again.add(5);
        nodes.machines.bringUp("c");
        nodes.awaitSet("a", "b", "c");
        again.add(5);
        assertThat(again.show()).isEqualTo("has " + nodes.acknowledged);
        again.close();
        Nodes.Program c = nodes.open("c", 2);
        assertThat(c.expectOpen()).isEqualTo(nodes.acknowledged);
    }

    /**
     * Its copy was another writer's before, and its newest commits are in its disk journal alone.
     */
    @Test
    @Tag("deep")
    void aNodeThatTookOverAndWasKilledGoesOnOrComesBackFromItsDiskJournal() throws Exception {
        nodes.machines.set("FARHEAP_DURABILITY", "journal");
        Nodes.Program a = nodes.create("a", 2);
        a.expectOpen();
        a.add(5);
        a.kill();
        Nodes.Program b = nodes.open("b", 2);
        b.expectOpen();
        b.tell("add 500");
        for (int i = 0; i < 40; i++) {
            assertThat(b.next()).startsWith("added ");
        }
        b.kill();

        Nodes.Program again = nodes.open("b", 2);
        assertThat(again.expectOpen()).isGreaterThanOrEqualTo(nodes.acknowledged);
        again.add(5);
        nodes.awaitSet("a", "b", "c");
        again.kill();

        Nodes.Program c = nodes.open("c", 2);
        assertThat(c.expectOpen()).isEqualTo(nodes.acknowledged);
        nodes.awaitSet("a", "b", "c");
        c.add(5);
        assertThat(c.show()).isEqualTo("has " + nodes.acknowledged);
    }

    /** The commit never returned there, and the node that takes over has it. */
    @Test
    @Tag("deep")
    void aFormerWritersCopyGetsTheRecordThatItRolledBack() throws Exception {
        stopWriterWhileCLacksARecord();
        nodes.machines.takeDown("c");
        Nodes.Program b = nodes.open("b", 2);
        assertThat(b.expectOpen()).isEqualTo(nodes.acknowledged + 1);
        assertThat(nodes.record().set()).containsExactly("a", "b");
        b.kill();

        Nodes.Program a = nodes.open("a", 1);
        assertThat(a.expectOpen()).isEqualTo(nodes.acknowledged + 1);
        a.add(1);
    }

    /** It may go on with what it has not been told of. */
    @Test
    @Tag("deep")
    void aWriterThatIsOnlyStoppedKeepsItsCopy() throws Exception {
        Nodes.Program a = nodes.create("a", 2);
        a.expectOpen();
        nodes.machines.takeDown("c");
        nodes.machines.killAll("c");
        a.add(5);
        Machines.signal("STOP", a.process.toHandle());
        assertThat(nodes.open("b", 2).next()).startsWith("refused").contains("min-copies = 2");
        Machines.signal("CONT", a.process.toHandle());
        await().untilAsserted(() -> assertThat(said(a)).startsWith("deposed "));
        a.close();
        assertThat(nodes.open("b", 2).expectOpen()).isEqualTo(nodes.acknowledged);
    }

    @Test
    @Tag("deep")
    void aCopyThatIsNotOfTheSetIsNotOpened() throws Exception {
        Nodes.Program a = nodes.create("a", 1);
        a.expectOpen();
        a.add(3);
        nodes.machines.killAll("c");
        a.add(3);
        assertThat(nodes.record().set()).containsExactly("a", "b");
        a.kill();
        Nodes.Program c = nodes.open("c", 1);
        assertThat(c.next()).startsWith("refused ").contains("is not of the set");
        assertThat(nodes.record().term()).isEqualTo(1);
        Nodes.Program again = nodes.open("a", 1);
        assertThat(again.expectOpen()).isGreaterThanOrEqualTo(nodes.acknowledged);
        assertThat(nodes.record().term()).isEqualTo(2);
        again.add(3);
    }

    /** Commits ask no store; who must do without a copy waits for it. */
    @Test
    @Tag("deep")
    void whileTheStoreIsAwayCommitsGoOnAndNoCopyIsLeftOut() throws Exception {
        Nodes.Program a = nodes.create("a", 1);
        a.expectOpen();
        nodes.setStoreDown(true);
        a.add(10);
        nodes.machines.killAll("c");
        a.tell("add 1");
        assertThat(a.next()).startsWith("failed ");
        nodes.setStoreDown(false);
        await().untilAsserted(() -> assertThat(said(a)).startsWith("added "));
        assertThat(nodes.record().set()).containsExactly("a", "b");
    }
}
