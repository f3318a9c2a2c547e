package io.farheap.tools;

import io.farheap.agent.Agent;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An agent inside of the rehearsing process that listens. */
final class RehearsalService {
    private static final String NAME = "rehearsal";
    private static final String PASSWORD = "password";
    private static final Pattern LISTENING = Pattern.compile("Listening on \\S+ port (\\d+)");
    private static final long BOUND_NANOS = 30_000_000_000L;
    private static final long LOOK_MILLIS = 10;

    private final Path certificate;
    private final Path key;
    private final Path log;

    private RehearsalService(Path directory) {
        this.certificate = directory.resolve("agent.pem");
        this.key = directory.resolve("agent.key");
        this.log = directory.resolve("service.log");
    }

    /**
     * Serves whoever comes as long as the process runs.
     *
     * @param directory for its certificate
     * @param target the directory of poolsets
     */
    static RehearsalService start(Path directory, Path target) throws IOException {
        RehearsalService service = new RehearsalService(directory);
        service.makeCertificate(directory.resolve("agent.p12"));
        String[] options = {
            "--listen",
            "localhost:0",
            "--poolset-dir",
            target.toString(),
            "--log-file",
            service.log.toString(),
            "--tls-cert",
            service.certificate.toString(),
            "--tls-key",
            service.key.toString(),
            "--tls-ca",
            service.certificate.toString(),
            "--plain-data",
            "--allow",
            "CN=" + NAME + " *.set administer"
        };
        Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            int ended =
                                    Agent.run(
                                            options,
                                            InputStream.nullInputStream(),
                                            OutputStream.nullOutputStream(),
                                            System.err);
                            System.err.println("the agent ended with status " + ended);
                        });
        return service;
    }

    /** What has to be beside a poolset file to reach it; waits until it can be. */
    String settings() throws IOException {
        return """
        connect = tls:%s
        tls-cert = %s
        tls-key = %s
        tls-ca = %s
        """
                .formatted(port(), certificate, key, certificate);
    }

    private String port() throws IOException {
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < BOUND_NANOS) {
            Matcher port = LISTENING.matcher(Files.exists(log) ? Files.readString(log) : "");
            if (port.find()) {
                return port.group(1);
            }
            try {
                Thread.sleep(LOOK_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException(e);
            }
        }
        throw new IOException("the agent does not listen: see " + log);
    }

    private void makeCertificate(Path store) throws IOException {
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
        try (InputStream in = waited(keytool, store)) {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(in, PASSWORD.toCharArray());
            write(certificate, "CERTIFICATE", keys.getCertificate(NAME).getEncoded());
            write(key, "PRIVATE KEY", keys.getKey(NAME, PASSWORD.toCharArray()).getEncoded());
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    private static InputStream waited(Process keytool, Path store) throws IOException {
        try {
            if (keytool.waitFor() != 0) {
                throw new IOException("keytool ended with status " + keytool.exitValue());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
        return Files.newInputStream(store);
    }

    private static void write(Path file, String kind, byte[] encoded) throws IOException {
        String text =
                Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                        .encodeToString(encoded);
        Files.writeString(
                file, "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
    }
}
