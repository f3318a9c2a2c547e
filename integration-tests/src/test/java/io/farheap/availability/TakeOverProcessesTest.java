package io.farheap.availability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.it.support.Machines;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
        assertThat(nodes.record().set()).containsExactly("a", "b", "c");
        a.tell("add 500");
        for (int i = 0; i < 40; i++) {
            assertThat(a.next()).startsWith("added ");
        }
        a.kill();
        nodes.machines.takeDown("a");

        Nodes.Program b = nodes.open("b", 2);
        assertThat(b.expectOpen()).isGreaterThanOrEqualTo(nodes.acknowledged);
        assertThat(nodes.record().term()).isEqualTo(2);
        assertThat(nodes.record().set()).containsExactly("b", "c");
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
    void aCopyThatLacksARecordIsLeftOutAndGetsItAfterwards() throws Exception {
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

        Nodes.Program b = nodes.open("b", 1);
        assertThat(b.expectOpen()).isEqualTo(nodes.acknowledged + 1);
        nodes.awaitSet("a", "b", "c");
        b.add(5);
        b.close();
        Nodes.Program c = nodes.open("c", 1);
        assertThat(c.expectOpen()).isEqualTo(nodes.acknowledged);
        assertThat(c.show()).isEqualTo("has " + nodes.acknowledged);
    }

    @Test
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
