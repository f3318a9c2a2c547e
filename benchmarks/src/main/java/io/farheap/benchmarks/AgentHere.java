package io.farheap.benchmarks;

import io.farheap.tools.Main;
import io.farheap.tools.demo.LocalMachine;
import io.farheap.tools.demo.SelfSignedCertificate;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An agent of this machine that listens, as a process, with one certificate for all. */
final class AgentHere implements AutoCloseable {
    private static final String NAME = "benchmark";
    private static final Pattern LISTENING = Pattern.compile("Listening on \\S+ port (\\d+)");

    private final Process process;
    private final BufferedReader said;
    private final Map<String, String> settings;

    private AgentHere(Process process, BufferedReader said, Map<String, String> settings) {
        this.process = process;
        this.said = said;
        this.settings = settings;
    }

    /**
     * Starts one.
     *
     * @param directory for its certificate
     * @param target where poolsets are
     * @param launcher of a distribution; null: this program's classes
     * @param waiting its options for waiting
     */
    static AgentHere start(Path directory, Path target, Path launcher, List<String> waiting)
            throws IOException, InterruptedException {
        SelfSignedCertificate pair = SelfSignedCertificate.make(directory, NAME);
        List<String> options =
                new ArrayList<>(
                        List.of(
                                "agent",
                                "--listen",
                                "localhost:0",
                                "--poolset-dir",
                                target.toString(),
                                "--tls-cert",
                                pair.certificate().toString(),
                                "--tls-key",
                                pair.key().toString(),
                                "--tls-ca",
                                pair.certificate().toString(),
                                "--plain-data",
                                "--allow",
                                "CN=" + NAME + " *.set administer"));
        options.addAll(waiting);
        List<String> command =
                launcher == null
                        ? LocalMachine.java(Main.class.getName(), options.toArray(String[]::new))
                        : new ArrayList<>(List.of(launcher.toString()));
        if (launcher != null) {
            command.addAll(options);
        }
        Process process =
                new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        BufferedReader said = process.errorReader();
        Matcher port = LISTENING.matcher("");
        while (!port.find()) {
            String line = said.readLine();
            if (line == null) {
                throw new IOException("the agent ended with status " + process.waitFor());
            }
            port.reset(line);
        }
        return new AgentHere(
                process,
                said,
                Map.of(
                        "FARHEAP_CONNECT", "tls:" + port.group(1),
                        "FARHEAP_TLS_CERT", pair.certificate().toString(),
                        "FARHEAP_TLS_KEY", pair.key().toString(),
                        "FARHEAP_TLS_CA", pair.certificate().toString()));
    }

    /** What a program has to be told to reach it. */
    Map<String, String> settings() {
        return settings;
    }

    @Override
    public void close() throws IOException, InterruptedException {
        process.destroy();
        int unused = process.waitFor();
        said.close();
    }
}
