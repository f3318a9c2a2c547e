package io.farheap.replication.tls;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** An authority and what it has signed, made by the JDK's keytool and written as PEM files. */
public final class Certificates {
    private static final char[] PASSWORD = "password".toCharArray();

    private final Path directory;
    private final Path store;

    public Certificates(Path directory) throws IOException, InterruptedException {
        this.directory = Files.createDirectories(directory);
        this.store = directory.resolve("keys.p12");
        generate("authority", "CN=authority", "-ext", "bc:c");
    }

    /**
     * Signs a certificate for this machine.
     *
     * @param name of the files
     * @param more of keytool's options
     */
    public PemFiles sign(String name, String subject, String... more)
            throws IOException, InterruptedException {
        List<String> options =
                new ArrayList<>(
                        List.of("-signer", "authority", "-ext", "san=ip:127.0.0.1,dns:localhost"));
        options.addAll(List.of(more));
        generate(name, subject, options.toArray(String[]::new));
        return files(name);
    }

    /** What was signed before. */
    public PemFiles files(String name) throws IOException {
        try (InputStream in = Files.newInputStream(store)) {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(in, PASSWORD);
            return new PemFiles(
                    write(
                            "authority.pem",
                            "CERTIFICATE",
                            keys.getCertificate("authority").getEncoded()),
                    write(name + ".pem", "CERTIFICATE", keys.getCertificate(name).getEncoded()),
                    write(name + ".key", "PRIVATE KEY", keys.getKey(name, PASSWORD).getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    private void generate(String name, String subject, String... more)
            throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-J-XX:TieredStopAtLevel=1",
                                "-genkeypair",
                                "-alias",
                                name,
                                "-dname",
                                subject,
                                "-keyalg",
                                "EC",
                                "-groupname",
                                "secp256r1",
                                "-keystore",
                                store.toString(),
                                "-storepass",
                                new String(PASSWORD)));
        command.addAll(List.of(more));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), US_ASCII);
        assertThat(process.waitFor()).as(said).isZero();
    }

    private Path write(String file, String kind, byte[] encoded) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(encoded);
        return Files.writeString(
                directory.resolve(file),
                "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
    }
}
