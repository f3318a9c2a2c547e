package io.farheap.benchmarks;

import io.farheap.tools.Main;
import io.farheap.tools.demo.LocalMachine;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An agent of this machine that listens, as a process, with one certificate for all. */
final class AgentHere implements AutoCloseable {
    private static final String NAME = "benchmark";
    private static final String PASSWORD = "password";
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
        Path certificate = directory.resolve("agent.pem");
        Path key = directory.resolve("agent.key");
        makeCertificate(directory, certificate, key);
        List<String> options =
                new ArrayList<>(
                        List.of(
                                "agent",
                                "--listen",
                                "localhost:0",
                                "--poolset-dir",
                                target.toString(),
                                "--tls-cert",
                                certificate.toString(),
                                "--tls-key",
                                key.toString(),
                                "--tls-ca",
                                certificate.toString(),
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
                        "FARHEAP_TLS_CERT", certificate.toString(),
                        "FARHEAP_TLS_KEY", key.toString(),
                        "FARHEAP_TLS_CA", certificate.toString()));
    }

    /** What a program has to be told to reach it. */
    Map<String, String> settings() {
        return settings;
    }

    private static void makeCertificate(Path directory, Path certificate, Path key)
            throws IOException, InterruptedException {
        Path store = directory.resolve("agent.p12");
        Process keytool =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-genkeypair",
                                "-alias",
                                NAME,
                                "-dname",
                                "CN=" + NAME,
                                "-keyalg",
                                "EC",
                                "-groupname",
                                "secp256r1",
                                "-ext",
                                "san=dns:localhost",
                                "-keystore",
                                store.toString(),
                                "-storepass",
                                PASSWORD)
                        .inheritIO()
                        .start();
        if (keytool.waitFor() != 0) {
            throw new IOException("keytool ended with status " + keytool.exitValue());
        }
        try (InputStream in = Files.newInputStream(store)) {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(in, PASSWORD.toCharArray());
            write(certificate, "CERTIFICATE", keys.getCertificate(NAME).getEncoded());
            write(key, "PRIVATE KEY", keys.getKey(NAME, PASSWORD.toCharArray()).getEncoded());
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    private static void write(Path file, String kind, byte[] encoded) throws IOException {
        String text =
                Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                        .encodeToString(encoded);
        Files.writeString(
                file, "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
    }

    @Override
    public void close() throws IOException, InterruptedException {
        process.destroy();
        int unused = process.waitFor();
        said.close();
    }
}
