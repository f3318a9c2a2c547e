package io.farheap.it.system;

import io.farheap.tools.Main;
import io.farheap.tools.demo.LocalMachine;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What a machine whose power is cut runs each time that it has power again: looks at the replica
 * that it finds, as a target alone would, then does as a {@link LoadProgram} that commits without
 * end. Its environment names {@link #SHELL} and {@link #AGENT}. Besides it tells
 *
 * <pre>
 *        target THREAD NUMBER         the last transaction that the replica alone has
 * </pre>
 */
public final class PowerCutProgram {
    private static final Path SITE = Path.of("/pmem/site");

    /** Stands in for ssh. */
    public static final Path SHELL = SITE.resolve("local-ssh");

    /** Starts the agent. */
    public static final Path AGENT = SITE.resolve("agent");

    private static final Path THERE = SITE.resolve("there");
    private static final Path SET = SITE.resolve("pool.set");
    private static final Path REPLICA = THERE.resolve("copy.part0");

    /** A device that has the journal, from where READs prove commits durable; null: neither. */
    private static final String DEVICE = System.getProperty("rdma.journals");

    private static final String BY_READS =
            "persist-apm = yes\npersist-general = no\nplatform = adr\njournal-devices = ";

    private PowerCutProgram() {}

    /**
     * @param args a seed, and how many threads commit
     */
    public static void main(String[] args) {
        try {
            if (Files.exists(REPLICA)) {
                tellTarget(Long.parseLong(args[0]), Integer.parseInt(args[1]));
            }
            writeSite();
            System.setIn(orders());
            LoadProgram.main(new String[] {SET.toString(), args[0], args[1]});
        } catch (Exception | AssertionError e) {
            e.printStackTrace();
        }
        System.exit(1); // the power is to be cut before this, and Awaitility's threads would stay
    }

    private static void tellTarget(long seed, int threads) {
        try (ReplicaCopy copy = ReplicaCopy.of(REPLICA)) {
            copy.promote();
            long[] found = copy.assertWhole(seed, threads);
            for (int t = 0; t < threads; t++) {
                System.out.println("target " + t + " " + found[t]);
            }
        }
    }

    private static void writeSite() throws IOException {
        Files.createDirectories(THERE);
        LocalMachine.installShell(SITE);
        List<String> agent =
                LocalMachine.java(
                        List.of("-XX:TieredStopAtLevel=1", "-Xmx256m"),
                        Main.class.getName(),
                        "agent",
                        "--config",
                        THERE.resolve("agent.conf").toString());
        Files.writeString(AGENT, "exec " + LocalMachine.quoted(agent) + "\n");
        Files.writeString(
                THERE.resolve("agent.conf"),
                """
                poolset-dir = %1$s
                log-file = %1$s/agent.log
                log-level = info
                journal-size = 1M
                heartbeat-bound = 100000
                attach-bound = 120000
                rdma-address = %2$s
                %3$s
                """
                        .formatted(
                                THERE,
                                System.getProperty("rdma.address"),
                                DEVICE == null ? "" : BY_READS + DEVICE));
        Files.writeString(THERE.resolve("copy.set"), "PMEMPOOLSET\n64M " + REPLICA + "\n");
        Files.writeString(
                SET,
                "PMEMPOOLSET\n64M %s\nREPLICA there copy.set\n"
                        .formatted(SITE.resolve("pool.part0")));
    }

    /** To check what was found, to say how the replica is, and to go; then nothing, for ever. */
    private static InputStream orders() throws IOException {
        byte[] lines = "check\nstatus\ngo\n".getBytes(StandardCharsets.UTF_8);
        InputStream silent = new PipedInputStream(new PipedOutputStream());
        return new SequenceInputStream(new ByteArrayInputStream(lines), silent);
    }
}
