package io.farheap.it.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/**
 * Hosts in network namespaces of their own, which know each other by name. All packets between two
 * of them pass a router, in one more namespace, that loses those that a test says. The test itself
 * is on a host that is never cut off. Needs root, and iproute2.
 *
 * <p>What runs on the hosts is killed when the network is closed, or the test's process ends
 * however that happens. The namespaces and all links go with it.
 */
public final class Network implements AutoCloseable {
    /** Of the network that RFC 2544 keeps free for tests: each network has its own third byte. */
    private static final String PREFIX = "198.18.%d.";

    private static final int MOST_NETWORKS = 200;

    /** Where hosts ask for names: nobody answers. */
    private static final String RESOLVER = "198.19.255.254";

    /** Each host has a subnet of four addresses with the router. */
    private static final int SUBNET = 4;

    private static final String RESOLVERS = "resolv.conf";

    private static final String HOLD =
            """
             || exit 1
            echo up
            while read -r line; do :; done
            here=$(readlink /proc/self/ns/net)
            for process in /proc/[0-9]*; do
              id=${process#/proc/}
              [ $id = $$ ] || [ "$(readlink $process/ns/net)" != "$here" ] || kill -9 $id
            done
            """;

    /** Preferences of rules: behind those of the system's own addresses, before all routes. */
    private static final int FIRST_RULE = 100;

    private static final Duration END_BOUND = Duration.ofSeconds(10);

    /**
     * Among the networks of this machine: that byte, and the number in the name of the test's end.
     */
    private final int index;

    private final Process router;
    private final Path hosts;
    private final Map<String, Process> holders = new HashMap<>();
    private final Map<String, String> addresses = new HashMap<>();
    private int lastRule = FIRST_RULE;
    private final Map<Loss, Integer> rules = new HashMap<>();

    /**
     * Packets that do not arrive.
     *
     * @param told the sender is answered that the host is unreachable; else by nothing
     */
    public record Loss(String from, String to, boolean told) {}

    private Network(int index, Process router, Path hosts) {
        this.index = index;
        this.hosts = hosts;
        this.router = router;
    }

    /** Skips the calling test where the machine does not allow it. */
    public static void require() throws InterruptedException {
        assumeTrue(isPossible(), "this machine gives nobody, or not this user, network namespaces");
    }

    private static boolean isPossible() throws InterruptedException {
        try {
            Process trial =
                    new ProcessBuilder(
                                    "unshare",
                                    "-n",
                                    "-m",
                                    "sh",
                                    "-c",
                                    "ip link add x type veth peer name y"
                                            + " && ip rule add from 192.0.2.1 blackhole"
                                            + " && mount -t tmpfs none /run"
                                            + " && nsenter -t $$ -n -m --wdns=/ true"
                                            + " && echo 1 >/proc/sys/net/ipv4/ip_forward")
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            // Its own end of a pair must be with the test, too: only root may put it there.
            return trial.waitFor(10, TimeUnit.SECONDS)
                    && trial.exitValue() == 0
                    && System.getProperty("user.name").equals("root");
        } catch (IOException e) {
            return false; // one of the programs is missing
        }
    }

    /**
     * @param directory is given a file of the hosts' names, which each host has as /etc/hosts
     */
    public static Network of(Path directory, List<String> names) throws IOException {
        Process router =
                holder(
                        "echo 1 >/proc/sys/net/ipv4/ip_forward"
                                + " && ip route add blackhole %s/32".formatted(RESOLVER));
        Network network = null;
        try {
            Path hosts = directory.resolve("hosts");
            network = new Network(connectTest(router), router, hosts);
            Files.writeString(directory.resolve(RESOLVERS), "nameserver %s\n".formatted(RESOLVER));
            for (int i = 0; i < names.size(); i++) {
                network.addresses.put(names.get(i), network.inside(i + 1));
            }
            network.knowNames(true);
            for (int i = 0; i < names.size(); i++) {
                network.add(names.get(i), i + 1);
            }
            return network;
        } catch (IOException | RuntimeException | Error e) {
            if (network == null) {
                router.destroyForcibly();
            } else {
                network.close();
            }
            throw e;
        }
    }

    /** Who else has a network took another name of the test's end. */
    private static int connectTest(Process router) {
        for (int i = 0; i < MOST_NETWORKS; i++) {
            String prefix = PREFIX.formatted(i);
            Ran made =
                    run(
                            List.of(),
                            "ip link add fh%1$d type veth peer name here netns %2$d"
                                    .formatted(i, router.pid()));
            if (made.exitCode() == 0) {
                must(
                        List.of(),
                        "ip addr add %1$s2/30 dev fh%2$d && ip link set fh%2$d up && ip route add"
                                        .formatted(prefix, i)
                                + " %1$s0/24 via %1$s1".formatted(prefix));
                must(
                        inside(router),
                        "ip addr add %1$s1/30 dev here && ip link set here up".formatted(prefix));
                return i;
            }
            assertThat(made.err()).contains("File exists");
        }
        throw new AssertionError("all networks are taken");
    }

    private void add(String name, int number) throws IOException {
        // sshd wants a directory in /run, and a link to there may be what says who resolves names.
        Process host =
                holder(
                        "mount --bind %s /etc/hosts && mount -t tmpfs none /run".formatted(hosts)
                                + " && to=$(readlink -m /etc/resolv.conf) && mkdir -p \"${to%/*}\""
                                + " && touch \"$to\" && mount --bind "
                                + hosts.resolveSibling(RESOLVERS)
                                + " \"$to\"");
        holders.put(name, host);
        must(
                inside(router),
                "ip link add h%1$d type veth peer name net netns %2$d && ip addr add %3$s/30 dev h%1$d"
                                .formatted(number, host.pid(), gateway(number))
                        + " && ip link set h%d up".formatted(number));
        must(
                inside(host),
                "ip link set lo up && ip addr add %s/30 dev net && ip link set net up && ip route"
                                .formatted(inside(number))
                        + " add default via "
                        + gateway(number));
    }

    private String gateway(int host) {
        return PREFIX.formatted(index) + (SUBNET * host + 1);
    }

    private String inside(int host) {
        return PREFIX.formatted(index) + (SUBNET * host + 2);
    }

    /** A process in new namespaces, which ends with this process, and ends all others there. */
    private static Process holder(String first) throws IOException {
        Process holder =
                new ProcessBuilder("unshare", "-n", "-m", "sh", "-c", first + HOLD)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        assertThat(holder.inputReader(StandardCharsets.UTF_8).readLine()).isEqualTo("up");
        return holder;
    }

    private static List<String> inside(Process holder) {
        return List.of("nsenter", "-t", Long.toString(holder.pid()), "-n", "-m", "--");
    }

    private static Ran run(List<String> place, String commands) {
        List<String> command = new ArrayList<>(place);
        command.addAll(List.of("sh", "-c", commands));
        return Ran.of(new ProcessBuilder(command));
    }

    private static void must(List<String> place, String commands) {
        Ran unused = run(place, commands).succeeded();
    }

    /** As the others reach it, and the test. */
    public String address(String host) {
        return addresses.get(host);
    }

    /** What a command that runs on a host begins with. */
    public List<String> on(String host) {
        return inside(holders.get(host));
    }

    /** The same program, on a host. */
    public ProcessBuilder on(String host, ProcessBuilder program) {
        List<String> command = new ArrayList<>(on(host));
        if (program.directory() != null) {
            command.add(command.size() - 1, "--wdns=" + program.directory());
        }
        command.addAll(program.command());
        return program.command(command);
    }

    /** Whether hosts know each other's names. A resolver that they could ask is out of reach. */
    public void knowNames(boolean known) throws IOException {
        StringBuilder lines = new StringBuilder("127.0.0.1 localhost\n");
        if (known) {
            addresses.forEach((name, address) -> lines.append(address + " " + name + "\n"));
        }
        Files.writeString(hosts, lines); // the file that hosts have, and no other in its place
    }

    /** From now on; each is made once. */
    public synchronized void make(Loss loss) {
        int rule = lastRule++;
        assertThat(rules.put(loss, rule)).as("before %s", loss).isNull();
        changeRules(
                "ip rule add pref %d from %s to %s %s"
                        .formatted(
                                rule,
                                address(loss.from()),
                                address(loss.to()),
                                loss.told() ? "unreachable" : "blackhole"));
    }

    /** Ends what was made. */
    public synchronized void mend(Loss loss) {
        changeRules("ip rule del pref " + Optional.ofNullable(rules.remove(loss)).orElseThrow());
    }

    private void changeRules(String command) {
        must(inside(router), command);
    }

    /** With all processes that are on its hosts. */
    @Override
    public void close() {
        if (!router.isAlive()) {
            return;
        }
        try {
            Awaitility.await("the end of all processes of a network")
                    .pollInSameThread()
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(5))
                    .atMost(END_BOUND)
                    .until(this::destroyed, List::isEmpty);
        } finally {
            // As long as the router is there, the name of the test's end is nobody else's.
            Ran unused = run(List.of(), "ip link del fh" + index);
            holders.values().forEach(Process::destroyForcibly);
            router.destroyForcibly();
        }
    }

    /** Those that ran a moment before, but for the holders. */
    private List<ProcessHandle> destroyed() {
        List<Path> ours = new ArrayList<>();
        holders.values().forEach(one -> namespace(one.toHandle()).ifPresent(ours::add));
        List<ProcessHandle> left =
                ProcessHandle.allProcesses()
                        .filter(
                                one ->
                                        holders.values().stream()
                                                .noneMatch(h -> h.pid() == one.pid()))
                        .filter(one -> namespace(one).filter(ours::contains).isPresent())
                        .toList();
        left.forEach(ProcessHandle::destroyForcibly);
        return left;
    }

    private static Optional<Path> namespace(ProcessHandle process) {
        try {
            return Optional.of(
                    Files.readSymbolicLink(
                            Path.of("/proc", Long.toString(process.pid()), "ns", "net")));
        } catch (IOException e) {
            return Optional.empty(); // it has ended, or is somebody else's
        }
    }
}
