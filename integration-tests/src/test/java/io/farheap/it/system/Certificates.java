package io.farheap.it.system;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.replication.tls.PemFiles;
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

    /**
     * The authority that {@link #usual} has, and what it has signed: keytool takes a second for
     * each.
     */
    private static byte[] usualStore;

    private final Path directory;
    private final Path store;
    private final boolean usual;

    /** Another authority than all others. */
    Certificates(Path directory) throws IOException, InterruptedException {
        this(directory, false);
    }

    private Certificates(Path directory, boolean usual) throws IOException, InterruptedException {
        this.directory = Files.createDirectories(directory);
        this.store = directory.resolve("keys.p12");
        this.usual = usual;
        if (usual && usualStore != null) {
            Files.write(store, usualStore);
        } else {
            generate("authority", "CN=authority", "-ext", "bc:c");
        }
    }

    /** One authority for all tests, which does not sign the same twice. */
    public static Certificates usual(Path directory) throws IOException, InterruptedException {
        return new Certificates(directory, true);
    }

    /**
     * Signs a certificate for this machine.
     *
     * @param name of the files
     * @param more of keytool's options
     */
    PemFiles sign(String name, String subject, String... more)
            throws IOException, InterruptedException {
        return signFor("ip:127.0.0.1,dns:localhost", name, subject, more);
    }

    /**
     * The same for others.
     *
     * @param names as keytool takes alternative names
     */
    public PemFiles signFor(String names, String name, String subject, String... more)
            throws IOException, InterruptedException {
        List<String> options =
                new ArrayList<>(List.of("-signer", "authority", "-ext", "san=" + names));
        options.addAll(List.of(more));
        String alias = name + Integer.toHexString(List.of(subject, options).hashCode());
        try {
            if (!keys().containsAlias(alias)) {
                generate(alias, subject, options.toArray(String[]::new));
            }
            return files(name, keys(), alias);
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    private KeyStore keys() throws IOException, GeneralSecurityException {
        try (InputStream in = Files.newInputStream(store)) {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(in, PASSWORD);
            return keys;
        }
    }

    private PemFiles files(String name, KeyStore keys, String alias)
            throws IOException, GeneralSecurityException {
        return new PemFiles(
                write(
                        "authority.pem",
                        "CERTIFICATE",
                        keys.getCertificate("authority").getEncoded()),
                write(name + ".pem", "CERTIFICATE", keys.getCertificate(alias).getEncoded()),
                write(name + ".key", "PRIVATE KEY", keys.getKey(alias, PASSWORD).getEncoded()));
    }

    private void generate(String alias, String subject, String... more)
            throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-J-XX:TieredStopAtLevel=1",
                                "-genkeypair",
                                "-alias",
                                alias,
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
        if (usual) {
            usualStore = Files.readAllBytes(store);
        }
    }

    private Path write(String file, String kind, byte[] encoded) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(encoded);
        return Files.writeString(
                directory.resolve(file),
                "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
    }
}
