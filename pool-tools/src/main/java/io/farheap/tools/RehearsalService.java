package io.farheap.tools;

import io.farheap.agent.Agent;
import io.farheap.tools.demo.SelfSignedCertificate;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An agent inside of the rehearsing process that listens. */
final class RehearsalService {
    private static final String NAME = "rehearsal";
    private static final Pattern LISTENING = Pattern.compile("Listening on \\S+ port (\\d+)");
    private static final long BOUND_NANOS = 30_000_000_000L;
    private static final long LOOK_MILLIS = 10;

    private final SelfSignedCertificate pair;
    private final Path log;

    private RehearsalService(Path directory) throws IOException {
        this.pair = SelfSignedCertificate.make(directory, NAME);
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
        String[] options = {
            "--listen",
            "localhost:0",
            "--poolset-dir",
            target.toString(),
            "--log-file",
            service.log.toString(),
            "--tls-cert",
            service.pair.certificate().toString(),
            "--tls-key",
            service.pair.key().toString(),
            "--tls-ca",
            service.pair.certificate().toString(),
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
                .formatted(port(), pair.certificate(), pair.key(), pair.certificate());
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
}
