package io.farheap.tools.demo;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

/**
 * A certificate that signs itself, for localhost, with its key: for an agent of this machine that
 * is its own initiator. Made by the JDK's keytool.
 *
 * @param certificate PEM
 * @param key PEM, PKCS #8
 */
public record SelfSignedCertificate(Path certificate, Path key) {
    private static final String PASSWORD = "password"; // of a store that only passes them on

    /**
     * Makes one, as {@code agent.pem} and {@code agent.key}.
     *
     * @param name its common name
     */
    public static SelfSignedCertificate make(Path directory, String name) throws IOException {
        Path store = directory.resolve("agent.p12");
        Files.deleteIfExists(store); // keytool would add to it
        generate(store, name);
        SelfSignedCertificate made =
                new SelfSignedCertificate(
                        directory.resolve("agent.pem"), directory.resolve("agent.key"));
        try (InputStream in = Files.newInputStream(store)) {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(in, PASSWORD.toCharArray());
            write(made.certificate, "CERTIFICATE", keys.getCertificate(name).getEncoded());
            write(made.key, "PRIVATE KEY", keys.getKey(name, PASSWORD.toCharArray()).getEncoded());
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
        return made;
    }

    private static void generate(Path store, String name) throws IOException {
        Process keytool =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-genkeypair",
                                "-alias",
                                name,
                                "-dname",
                                "CN=" + name,
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
        try {
            if (keytool.waitFor() != 0) {
                throw new IOException("keytool ended with status " + keytool.exitValue());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
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
}
