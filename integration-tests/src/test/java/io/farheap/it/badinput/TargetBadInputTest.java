package io.farheap.it.badinput;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.replication.control.Reply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A pool is to be created whose target cannot be reached, or refuses: one sentence, the documented
 * exit code, and nothing has changed on either machine.
 */
@Tag("deep")
class TargetBadInputTest {
    private static final int WRONG_USE = 2;
    private static final int ENVIRONMENT = 3;
    private static final int REPLICA = 4;
    private static final String GREETING =
            "echo '{\"type\":\"greeting\",\"protocol\":\"%s\",\"version\":%d,\"pid\":1,\"host\":\"x\"}'";

    /** What is wrong, how it is made, and what the command must say. */
    private record Case(String name, Consumer<Site> prepare, int code, List<String> says) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Case wrong(String name, Consumer<Site> prepare, String... says) {
        return new Case(name, prepare, REPLICA, Arrays.asList(says));
    }

    /** The remote shell runs this where the agent should be. */
    private static Case insteadOfAgent(String name, String command, String... says) {
        return wrong(name, site -> site.machines().set("RPMEM_CMD", command), says);
    }

    /** The target's poolset file, or its agent's configuration, says this. */
    private static Case onTarget(String name, String file, String text, String... says) {
        return wrong(
                name,
                site ->
                        site.machines()
                                .write(
                                        site.there(file),
                                        text.replace("THERE", site.there("").toString())),
                says);
    }

    static List<Case> unreachable() {
        return List.of(
                wrong(
                        "the machine is down",
                        site -> site.machines().takeDown("there"),
                        "replica there copy.set: ",
                        "No route to host",
                        "status 255"),
                new Case(
                        "no ssh here",
                        site -> site.machines().set("RPMEM_SSH", "/none/ssh"),
                        ENVIRONMENT,
                        List.of("replica there copy.set: ", "\"/none/ssh\"", "RPMEM_SSH")),
                insteadOfAgent("no agent there", "no-such-agent", "not found", "RPMEM_CMD"),
                insteadOfAgent("it dies at once", "exit 7", "status 7", "RPMEM_CMD"),
                insteadOfAgent("it says something else", "echo Welcome; sleep 5", "Welcome"),
                insteadOfAgent("it says half a line", "printf '{\"type\":'", "lost", "RPMEM_CMD"),
                insteadOfAgent("it never stops talking", "cat /dev/zero", "1048576 bytes"),
                insteadOfAgent(
                        "another protocol", GREETING.formatted("tea", 1) + "; sleep 5", "tea 1"),
                insteadOfAgent(
                        "another version",
                        GREETING.formatted("farheap-control", 99) + "; sleep 5",
                        "farheap-control 99",
                        "upgrade the program first"),
                insteadOfAgent(
                        "it dies after its greeting",
                        GREETING.formatted("farheap-control", Reply.VERSION) + "; exit 9",
                        "status 9"),
                insteadOfAgent(
                        "its answer is none",
                        GREETING.formatted("farheap-control", Reply.VERSION)
                                + "; echo '[]'; sleep 5",
                        "replica there copy.set: "),
                wrong(
                        "it is silent",
                        site ->
                                site.machines()
                                        .set("FARHEAP_ATTACH_TIMEOUT", "1s")
                                        .set("RPMEM_CMD", "sleep 60"),
                        "greeting within 1 s"));
    }

    static List<Case> refusing() {
        return List.of(
                wrong(
                        "no such poolset there",
                        site -> delete(site, "copy.set"),
                        "no poolset \"copy.set\"",
                        "write a poolset file of that name into "),
                wrong(
                        "a name that leads out",
                        site ->
                                site.machines()
                                        .poolSet(
                                                "here", "pool.set", "8M", "there ../here/pool.set"),
                        "leads out of the target's poolset directory"),
                onTarget(
                        "a mistake in the poolset there",
                        "copy.set",
                        "PMEMPOOLSET\n\n8X THERE/copy.part0\n",
                        "there/copy.set:3:1: ",
                        "8X",
                        "Correct it on the target"),
                onTarget(
                        "a poolset with a replica of its own",
                        "copy.set",
                        "PMEMPOOLSET\n8M THERE/a\nREPLICA\n8M THERE/b\n",
                        "must have one replica"),
                wrong(
                        "a replica too small",
                        site ->
                                site.machines()
                                        .poolSet("here", "pool.set", "16M", "there copy.set"),
                        "room for 8388608 bytes",
                        "16777216"),
                onTarget(
                        "a part in no directory",
                        "copy.set",
                        "PMEMPOOLSET\n8M THERE/none/copy.part0\n",
                        "there/none is not there",
                        "make it on the target"),
                new Case(
                        "somebody else's file",
                        site -> site.machines().write(site.there("copy.part0"), "x".repeat(9000)),
                        WRONG_USE,
                        List.of("copy.part0.journal is missing", "no pool is created over it")),
                onTarget(
                        "a mistake in the agent's configuration",
                        "agent.conf",
                        "poolset-dir = THERE\n\njournal-size = much\n",
                        "agent.conf:3: journal-size = much"),
                onTarget(
                        "data connections through ssh only",
                        "agent.conf",
                        "poolset-dir = THERE\ndata = ssh\nlog-file = THERE/agent.log\n",
                        "through ssh only",
                        "data = direct"),
                onTarget(
                        "the only method that works is forbidden",
                        "agent.conf",
                        "poolset-dir = THERE\npersist-general = no\nlog-file = THERE/agent.log\n",
                        "persist-general = yes"),
                wrong(
                        "a heartbeat too slow for the target",
                        site -> site.machines().set("FARHEAP_HEARTBEAT", "6s"),
                        "heartbeat of 6000 ms",
                        "heartbeat-bound"));
    }

    @ParameterizedTest
    @MethodSource({"unreachable", "refusing"})
    @Timeout(60)
    void nothingIsCreated(Case wrong) {
        try (Site site = Site.make()) {
            wrong.prepare().accept(site);
            Map<String, Long> before = site.files();

            Site.Run run = site.farheap("create", "-l", "bank", "pool.set");

            run.failedWith(wrong.code(), wrong.says().toArray(String[]::new));
            assertThat(run.out()).isEmpty();
            assertThat(site.files()).isEqualTo(before);
        }
    }

    private static void delete(Site site, String name) {
        try {
            Files.delete(site.there(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
