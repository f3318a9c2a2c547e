package io.farheap.replication.tls;

import io.farheap.base.FarheapException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Base64;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Certificates and a key in PEM files.
 *
 * @param authorities who may have signed the other side's certificate
 * @param certificate our own, with those between it and an authority
 * @param key our own, unencrypted PKCS #8: "BEGIN PRIVATE KEY"
 */
public record PemFiles(Path authorities, Path certificate, Path key) {
    private static final Pattern KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]*)-----END PRIVATE KEY-----");
    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "Ed25519");
    private static final char[] NO_PASSWORD = {};
    private static final byte[] TRIED = {1, 2, 3};

    /**
     * Reads the files; whether the key is the certificate's, {@link #requirePair} tells.
     *
     * @throws FarheapException category ENVIRONMENT naming the file that can't be used
     */
    public SSLContext context() {
        try {
            KeyStore trusted = emptyStore();
            int count = 0;
            for (Certificate authority : certificates(authorities)) {
                trusted.setCertificateEntry("authority-" + count++, authority);
            }
            TrustManagerFactory trust =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);

            KeyStore own = emptyStore();
            Certificate[] chain = certificates(certificate).toArray(Certificate[]::new);
            PrivateKey secret = key(key);
            own.setKeyEntry("own", secret, NO_PASSWORD, chain);
            KeyManagerFactory keys =
                    KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(own, NO_PASSWORD);

            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw unusable(e);
        }
    }

    /**
     * Tries whether the key is the certificate's. If it is not, every handshake fails, and not one
     * says why: who listens tries it first; who calls does when a handshake has failed, for it
     * takes a short command's time.
     *
     * @throws FarheapException category ENVIRONMENT naming the files if it is not, and as {@link
     *     #context}
     */
    public void requirePair() {
        try {
            PrivateKey secret = key(key);
            String algorithm =
                    switch (secret.getAlgorithm()) {
                        case "RSA" -> "SHA256withRSA";
                        case "EC" -> "SHA256withECDSA";
                        default -> "Ed25519";
                    };
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(secret);
            signature.update(TRIED);
            byte[] signed = signature.sign();
            signature.initVerify(certificates(certificate).iterator().next().getPublicKey());
            signature.update(TRIED);
            if (!signature.verify(signed)) {
                throw new GeneralSecurityException("the key is another certificate's");
            }
        } catch (GeneralSecurityException e) {
            throw unusable(e);
        }
    }

    /**
     * When our own certificate expires, or one between it and an authority, if that is sooner.
     *
     * @throws FarheapException category ENVIRONMENT when the file can't be used
     */
    public Instant expiry() {
        return certificates(certificate).stream()
                .map(each -> ((X509Certificate) each).getNotAfter().toInstant())
                .min(Comparator.naturalOrder())
                .orElseThrow();
    }

    private FarheapException unusable(Exception why) {
        return FarheapException.environment(
                why,
                "%s, %s and %s can't be used for TLS (%s): check that the key belongs to the"
                        + " certificate.",
                authorities,
                certificate,
                key,
                why.getMessage());
    }

    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, NO_PASSWORD);
        return store;
    }

    private static Collection<? extends Certificate> certificates(Path file) {
        byte[] content = content(file);
        try {
            Collection<? extends Certificate> found =
                    CertificateFactory.getInstance("X.509")
                            .generateCertificates(new ByteArrayInputStream(content));
            if (found.isEmpty()) {
                throw FarheapException.environment(
                        "%s has no certificate: name a PEM file with \"BEGIN CERTIFICATE\".", file);
            }
            return found;
        } catch (GeneralSecurityException e) {
            throw FarheapException.environment(
                    e,
                    "%s can't be read as certificates (%s): name a PEM file with"
                            + " \"BEGIN CERTIFICATE\".",
                    file,
                    e.getMessage());
        }
    }

    private static PrivateKey key(Path file) throws GeneralSecurityException {
        Matcher found = KEY.matcher(new String(content(file), StandardCharsets.US_ASCII));
        if (!found.find()) {
            throw FarheapException.environment(
                    "%s has no unencrypted PKCS #8 key (\"BEGIN PRIVATE KEY\"): convert it with"
                            + " openssl pkcs8 -topk8 -nocrypt.",
                    file);
        }
        byte[] encoded = decoded(file, found.group(1));
        for (String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm)
                        .generatePrivate(new PKCS8EncodedKeySpec(encoded));
            } catch (InvalidKeySpecException e) {
                continue; // of another algorithm
            }
        }
        throw FarheapException.environment(
                "The key in %s is none of %s: make one of these.", file, ALGORITHMS);
    }

    private static byte[] decoded(Path file, String text) {
        try {
            return Base64.getMimeDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw FarheapException.environment(e, "The key in %s is cut off or damaged.", file);
        }
    }

    private static byte[] content(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            String why =
                    switch (e) {
                        case NoSuchFileException missing -> "there is no such file";
                        case AccessDeniedException forbidden -> "permission denied";
                        default -> e.getMessage();
                    };
            throw FarheapException.environment(
                    e, "%s can't be read (%s): check its path and owner.", file, why);
        }
    }
}
