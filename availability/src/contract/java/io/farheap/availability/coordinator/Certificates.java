package io.farheap.availability.coordinator;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** An authority and what it has signed, made by the JDK's keytool and written as PEM files. */
public final class Certificates {
    private static final char[] PASSWORD = "password".toCharArray();

    private final Path directory;
    private final Path store;

    public Certificates(Path directory) throws Exception {
        this.directory = Files.createDirectories(directory);
        this.store = directory.resolve("keys.p12");
        generate("authority", "CN=authority", "-ext", "bc:c");
        certificate("authority");
    }

    public Path authority() {
        return directory.resolve("authority.pem");
    }

    public Path certificate(String name) throws Exception {
        return write(name + ".pem", "CERTIFICATE", open().getCertificate(name).getEncoded());
    }

    public Path key(String name) throws Exception {
        byte[] key = open().getKey(name, PASSWORD).getEncoded();
        return write(name + ".key", "PRIVATE KEY", key);
    }

    /** Etcd's gateway calls its own server with the server's certificate: it is a client's, too. */
    public void sign(String name, String subject) throws Exception {
        generate(
                name,
                subject,
                "-signer",
                "authority",
                "-ext",
                "san=ip:127.0.0.1",
                "-ext",
                "eku=serverAuth,clientAuth");
    }

    /** Certificate and key in one file. */
    public Path both(String name) throws Exception {
        return Files.writeString(
                directory.resolve(name + "-both.pem"),
                Files.readString(certificate(name)) + Files.readString(key(name)));
    }

    public StoreSettings.Tls of(String name) throws Exception {
        return new StoreSettings.Tls(authority(), certificate(name), key(name));
    }

    private void generate(String name, String subject, String... more) throws Exception {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
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

    private KeyStore open() throws Exception {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD);
        }
        return keys;
    }

    private Path write(String file, String kind, byte[] encoded) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(encoded);
        return Files.writeString(
                directory.resolve(file),
                "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
    }
}
