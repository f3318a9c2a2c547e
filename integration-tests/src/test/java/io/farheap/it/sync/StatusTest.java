package io.farheap.it.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.it.support.Machines;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code farheap status} on real pools, with real agents and programs. */
@Tag("deep")
@Timeout(300)
class StatusTest {
    private static final int NOT_CURRENT = 5;

    private static void end(Process program) throws Exception {
        program.getOutputStream().close();
        assertThat(program.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(program.exitValue()).isZero();
    }

    private static String line(SyncSite.Run run, int replica, String label) {
        List<String> lines = run.out();
        return lines.stream()
                .dropWhile(l -> !l.startsWith("replica " + replica))
                .takeWhile(l -> !l.isEmpty())
                .filter(l -> l.startsWith(label))
                .findFirst()
                .orElse("");
    }

    /** Beside a remote one its line may go, and the pool opens without it. */
    @Test
    void aLocalReplicaThatThePoolsetFileLacksIsNamed() throws Exception {
        try (SyncSite site = new SyncSite(8, "there")) {
            String without = Files.readString(site.set());
            Path mirror = site.set().resolveSibling("mirror");
            Files.writeString(site.set(), without + "REPLICA\n16M " + mirror + "\n");
            site.addNotes(3);
            assertThat(site.status().succeeded().out())
                    .noneMatch(line -> line.startsWith("lacking"));
            Files.writeString(site.set(), without);
            site.addNotes(3);

            String said =
                    "the pool was made with one more replica, which the poolset file "
                            + site.set()
                            + " lacks";
            assertThat(site.status().succeeded().out())
                    .anyMatch(line -> line.startsWith("lacking     : " + said));
            assertThat(site.sync().succeeded().out())
                    .anyMatch(line -> line.startsWith(said))
                    .endsWith(site.set() + ": nothing needs to be done");
        }
    }

    @Test
    void showsThePoolOfAProgramThatGoesOn() throws Exception {
        try (SyncSite site = new SyncSite(8, "one", "two")) {
            Process program = site.holdWith(10);
            long epoch = site.slot("one").cur();
            ProcessHandle agent = site.machines().agentOf(site.remote("one"));

            SyncSite.Run run = site.status().succeeded();

            assertThat(run.out())
                    .contains("number      : " + epoch)
                    .contains("open in     : process " + program.pid())
                    .contains("copies      : 3, 3 without a fault");
            for (int replica = 1; replica <= 2; replica++) {
                assertThat(line(run, replica, "verdict"))
                        .isEqualTo("verdict     : current: it has every commit of epoch " + epoch);
                assertThat(line(run, replica, "state")).endsWith("INSYNC");
                assertThat(line(run, replica, "number")).endsWith(": " + epoch);
                assertThat(line(run, replica, "held by")).contains("process " + program.pid());
                assertThat(line(run, replica, "program says")).contains("ATTACHED since");
                assertThat(line(run, replica, "next step")).isEqualTo("next step   : none");
            }
            assertThat(line(run, 1, "held by")).contains("agent process " + agent.pid());
            assertThat(String.join("\n", site.status("--json").succeeded().out()))
                    .contains("\"current\" : true", "\"state\" : \"ATTACHED\"");
            assertThat(site.statusOn("two").succeeded().out())
                    .contains(
                            "verdict     : complete: it has every commit that returned in epoch "
                                    + epoch
                                    + ", and can't know of a newer one");

            assertThat(agent.isAlive()).isTrue();
            end(program);
            assertThat(site.slot("one").cur()).as("nobody had to attach again").isEqualTo(epoch);
            run = site.status().succeeded();
            assertThat(run.out()).contains("open in     : no process");
            assertThat(line(run, 1, "verdict")).endsWith("current: it has the pool's number");
            site.assertInOrder();
        }
    }

    @Test
    void showsACopyThatWasLeftOutAndWhatToDo() throws Exception {
        try (SyncSite site = new SyncSite(8, "one", "two")) {
            site.machines().set("FARHEAP_POLICY", "degrade");
            Process program = site.holdWith(10);
            site.machines().takeDown("two");
            Machines.signal("KILL", site.machines().agentOf(site.remote("two")));
            await().untilAsserted(
                            () ->
                                    assertThat(line(site.status(), 2, "program says"))
                                            .contains("LOST since", "policy DEGRADE"));

            SyncSite.Run run = site.status();

            assertThat(run.exitCode()).isEqualTo(NOT_CURRENT);
            assertThat(run.err()).isEmpty();
            assertThat(run.out()).contains("copies      : 3, 2 without a fault");
            assertThat(line(run, 1, "verdict")).contains("current: it has every commit of epoch");
            assertThat(line(run, 2, "verdict")).contains("unreachable: ", "No route to host");
            assertThat(line(run, 2, "dirty map")).contains("bytes differ");
            assertThat(line(run, 2, "lag")).contains(" bytes, ");
            assertThat(line(run, 2, "next step"))
                    .contains("see that the target and its agent can be reached");

            end(program);
            site.machines().bringUp("two");
            run = site.status();
            assertThat(run.exitCode()).isEqualTo(NOT_CURRENT);
            assertThat(line(run, 2, "verdict"))
                    .endsWith("stale: it lacks what changed since it was left out");
            assertThat(line(run, 2, "next step")).endsWith(": farheap sync " + site.set());
            site.sync().succeeded();
            site.status().succeeded();
        }
    }

    @Test
    void showsACopyThatCommitsDoNotWaitFor() throws Exception {
        try (SyncSite site = new SyncSite(8, "one")) {
            site.machines().set("FARHEAP_POLICY", "async");
            Process program = site.holdWith(10);
            long epoch = site.slot("one").cur();

            SyncSite.Run run = site.status().succeeded();

            assertThat(line(run, 1, "verdict")).endsWith("it gets every commit of epoch " + epoch);
            assertThat(line(run, 1, "program says")).contains("ATTACHED since", "policy ASYNC");
            assertThat(line(run, 1, "since")).contains("Z, last written 20", "the target's clock");
            assertThat(site.statusOn("one").out())
                    .anyMatch(words -> words.contains("but perhaps the last"));
            assertThat(String.join("\n", site.status("--json").succeeded().out()))
                    .contains("\"mayLag\" : true", "\"written\" : \"20");

            Machines.signal("KILL", program.toHandle());
            assertThat(program.waitFor(60, TimeUnit.SECONDS)).isTrue();
            await().until(() -> !site.machines().isBusy("one"));
            run = site.status();
            assertThat(run.exitCode()).isEqualTo(NOT_CURRENT);
            assertThat(line(run, 1, "verdict"))
                    .endsWith("stale: it may lack commits that returned without it (policy async)");
            assertThat(line(run, 1, "dirty map")).contains("bytes differ");
            assertThat(line(run, 1, "next step")).endsWith(": farheap sync " + site.set());

            site.sync().succeeded();
            run = site.status().succeeded();
            assertThat(line(run, 1, "verdict")).endsWith("current: it has the pool's number");
        }
    }

    @Test
    void aTargetThatAnswersWithoutThePoolsetIsNotUnreachable() throws Exception {
        try (SyncSite site = new SyncSite(8, "one")) {
            site.addNotes(1);
            Path there = site.machines().machine("one").resolve("copy.set");
            Files.move(there, there.resolveSibling("other.set"));

            SyncSite.Run run = site.status();

            assertThat(run.exitCode()).isEqualTo(NOT_CURRENT);
            assertThat(line(run, 1, "verdict"))
                    .contains(": refused: ", "write a poolset file of that name into ");
            assertThat(line(run, 1, "next step")).contains("the target answers");
        }
    }

    @Test
    void doesNotBelieveWhatAKilledProgramSaid() throws Exception {
        try (SyncSite site = new SyncSite(8, "one")) {
            Process program = site.holdWith(10);
            Machines.signal("KILL", program.toHandle());
            assertThat(program.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(Path.of(site.part(0) + ".status")).exists();

            SyncSite.Run run = site.status().succeeded();

            assertThat(run.out()).contains("open in     : no process");
            assertThat(line(run, 1, "program says")).isEmpty();
            assertThat(line(run, 1, "verdict")).endsWith("current: it has the pool's number");
            site.addNotes(1);
            site.assertInOrder();
        }
    }

    @Test
    void goesOnWhereATargetNeverAnswersOrThePoolIsLost() throws Exception {
        try (SyncSite site = new SyncSite(8, "one", "two")) {
            site.addNotes(5);
            Path shell = site.machines().here().resolve("dead-ssh");
            Files.writeString(
                    shell,
                    "#!/bin/sh\ncase \"$*\" in *two*) exec sleep 60;; esac\nexec %s \"$@\"\n"
                            .formatted(site.machines().settings().remoteShell()));
            Files.setPosixFilePermissions(shell, PosixFilePermissions.fromString("rwx------"));
            site.machines().set("RPMEM_SSH", shell.toString());
            site.machines().set("FARHEAP_ATTACH_TIMEOUT", "15s");
            long begin = System.nanoTime();

            SyncSite.Run run = site.status();

            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .isLessThan(Duration.ofSeconds(45));
            assertThat(run.exitCode()).isEqualTo(NOT_CURRENT);
            assertThat(run.err()).isEmpty();
            assertThat(line(run, 1, "verdict")).contains("current");
            assertThat(line(run, 2, "verdict")).contains("unreachable: ");
            assertThat(line(run, 2, "next step")).contains("ssh two true");

            site.losePool();
            run = site.status();
            assertThat(run.exitCode()).isEqualTo(NOT_CURRENT);
            assertThat(line(run, 0, "verdict")).contains("broken: ", "is missing");
            assertThat(line(run, 0, "next step")).endsWith(": farheap sync " + site.set());
            assertThat(line(run, 1, "verdict")).contains("unknown: there is no local copy");
        }
    }
}
