package io.farheap.it.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * A machine with RDMA and persistent memory ({@code lab/rdma-lab}), for as long as a Java program
 * runs there. Closing it ends the machine.
 */
final class RdmaLab implements AutoCloseable {
    /** A guest has no time for the second compiler. */
    private static final String FLAGS =
            "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx1g -Djava.io.tmpdir=/pmem"
                    + " -Drdma.address=$LAB_ADDRESS -Drdma.device=rdma0 -Drdma.dax=/pmem";

    /** Tests of that module run here, too: as it compiled them. */
    private static final String OF_REPLICATION = "../replication/target/test-classes";

    private final Process process;

    private RdmaLab(ProcessBuilder builder) throws IOException {
        process = builder.redirectErrorStream(true).start();
    }

    /**
     * Runs test classes in a machine with both ends.
     *
     * @param flags more of the virtual machine's
     */
    static void test(String flags, String... classes) throws IOException, InterruptedException {
        run(Map.of(), flags, GuestTests.class.getName(), classes);
    }

    /**
     * Runs a program on two machines that have a cable between them.
     *
     * @param flags more of the virtual machine's
     */
    static void runOnTwo(String flags, String main, String... args)
            throws IOException, InterruptedException {
        run(Map.of("LAB_GUESTS", "2"), flags, main, args);
    }

    /** Runs a program on one. */
    static void run(String main, String... args) throws IOException, InterruptedException {
        run(Map.of(), "", main, args);
    }

    private static void run(Map<String, String> settings, String flags, String main, String... args)
            throws IOException, InterruptedException {
        try (RdmaLab lab = start(settings, "", flags, main, args)) {
            lab.listen(System.out::println);
            assertThat(lab.waitFor()).as("the lab's exit status, see above").isZero();
        }
    }

    /**
     * Starts a program there.
     *
     * @param settings variables that the lab gets
     * @param environment variables that the program gets, as a shell reads them
     */
    static RdmaLab start(
            Map<String, String> settings,
            String environment,
            String flags,
            String main,
            String... args)
            throws IOException {
        String own =
                ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                        .filter(flag -> flag.startsWith("--"))
                        .collect(Collectors.joining(" "));
        String line =
                "exec env %s '%s/bin/java' %s %s %s -cp '%s:%s' %s %s"
                        .formatted(
                                environment,
                                System.getProperty("java.home"),
                                own,
                                FLAGS,
                                flags,
                                System.getProperty("java.class.path"),
                                OF_REPLICATION,
                                main,
                                String.join(" ", args));
        ProcessBuilder builder = new ProcessBuilder("../lab/rdma-lab", "run", line);
        builder.environment().put("LAB_SECONDS", "1500");
        builder.environment().putAll(settings);
        return new RdmaLab(builder);
    }

    /** Takes what is said there, line by line, until the machine is gone. */
    void listen(Consumer<String> taker) throws IOException {
        try (BufferedReader said = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = said.readLine(); line != null; line = said.readLine()) {
                taker.accept(line);
            }
        }
    }

    /** The machine is gone at once, whatever it does. */
    void cutPower() {
        try {
            int status =
                    new ProcessBuilder("sh", "-c", "kill -USR1 " + process.pid())
                            .inheritIO()
                            .start()
                            .waitFor();
            assertThat(status).as("kill -USR1").isZero();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Waits until the machine is gone. */
    int waitFor() throws InterruptedException {
        return process.waitFor();
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy(); // the script ends its guests
        int unused = process.waitFor();
    }
}
