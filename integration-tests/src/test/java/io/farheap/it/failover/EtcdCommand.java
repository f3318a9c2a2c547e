package io.farheap.it.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.farheap.availability.etcd.EtcdProcesses;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What an operator does with etcd's own command, which Debian's package etcd-client has. */
final class EtcdCommand {
    private static final Pattern REVISION = Pattern.compile("\"revision\":(\\d+)");

    private final EtcdProcesses members;

    private EtcdCommand(EtcdProcesses members) {
        this.members = members;
    }

    /** Skips the calling test where etcdctl is not installed; with {@code CI} set that fails. */
    static EtcdCommand of(EtcdProcesses members) {
        boolean installed =
                Stream.of(System.getenv("PATH").split(":"))
                        .anyMatch(place -> Files.isExecutable(Path.of(place, "etcdctl")));
        if (System.getenv("CI") != null) {
            assertThat(installed).as("CI must have etcdctl: Debian's package etcd-client").isTrue();
        }
        assumeTrue(installed, "etcdctl is not installed (Debian: apt-get install etcd-client)");
        return new EtcdCommand(members);
    }

    /** As docs/high-availability.md#etcd has it for NOSPACE, behind the removal of some keys. */
    void makeRoom(String prefix) throws IOException, InterruptedException {
        assertThat(run("alarm", "list")).contains("NOSPACE");
        ask("del", "--prefix", prefix);
        Matcher found = REVISION.matcher(run("endpoint", "status", "-w", "json"));
        assertThat(found.find()).isTrue();
        ask("compact", found.group(1));
        ask("defrag");
        ask("alarm", "disarm");
    }

    /** A backup of the store. */
    void save(Path snapshot) throws IOException, InterruptedException {
        String first = members.endpoints().get(0).toString();
        etcdctl("--endpoints", first, "snapshot", "save", snapshot.toString());
    }

    /**
     * Makes a store of a backup, in its members' places; their files are put aside.
     *
     * @param token the members' own: etcd gives the store its old identity
     */
    void restore(Path snapshot, Path aside, String token) throws IOException, InterruptedException {
        for (int member = 0; member < members.endpoints().size(); member++) {
            members.kill(member);
            Files.move(members.data(member), aside.resolve("m" + member));
            List<String> words = new ArrayList<>(List.of("snapshot", "restore"));
            words.add(snapshot.toString());
            words.addAll(members.founding(member, token));
            etcdctl(words.toArray(String[]::new));
        }
        startAll();
    }

    /** The store that was before the restoration. */
    void putBack(Path aside) throws IOException, InterruptedException {
        for (int member = 0; member < members.endpoints().size(); member++) {
            members.kill(member);
            Files.move(members.data(member), aside.resolve("restored" + member));
            Files.move(aside.resolve("m" + member), members.data(member));
        }
        startAll();
    }

    private void startAll() throws IOException {
        for (int member = 0; member < members.endpoints().size(); member++) {
            members.start(member);
        }
    }

    private void ask(String... words) throws IOException, InterruptedException {
        assertThat(run(words)).isNotEmpty();
    }

    private String run(String... words) throws IOException, InterruptedException {
        String endpoints =
                members.endpoints().stream().map(Object::toString).collect(Collectors.joining(","));
        List<String> all = new ArrayList<>(List.of("--endpoints", endpoints));
        all.addAll(List.of(words));
        return etcdctl(all.toArray(String[]::new));
    }

    private static String etcdctl(String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("etcdctl"));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("ETCD"));
        builder.environment().put("ETCDCTL_API", "3");
        Process process = builder.start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as("%s: %s", command, said).isZero();
        return said;
    }
}
