package io.farheap.replication.fabric;

import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * How the two ends of a data connection show each other that they know its one-time secret, which
 * never travels over it: HMAC-SHA256 with the secret as the key, over the name of the side that
 * proves and both sides' nonces. The target proves first: who is not the agent learns nothing that
 * the agent would take for a proof. Thread-safe.
 */
public final class MutualProof {
    public static final int NONCE_BYTES = 32;
    public static final int PROOF_BYTES = 32;

    private static final String ALGORITHM = "HmacSHA256";
    private static final byte[] TARGET = side("farheap data connection, target");
    private static final byte[] INITIATOR = side("farheap data connection, initiator");
    private static final byte[] PLACE = side("farheap data connection, place");
    private static final byte[] NO_NONCE = {};
    private static final SecureRandom RANDOM = new SecureRandom();

    private final SecretKeySpec key;

    /**
     * @param secret of {@link Fabric#SECRET_BYTES}
     */
    public MutualProof(byte[] secret) {
        this.key = new SecretKeySpec(secret, ALGORITHM);
    }

    private static byte[] side(String name) {
        return name.getBytes(StandardCharsets.US_ASCII);
    }

    /** A number that was never used before. */
    public static byte[] nonce() {
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        return nonce;
    }

    /** What the target shows. */
    public byte[] ofTarget(byte[] initiatorsNonce, byte[] targetsNonce) {
        return of(TARGET, initiatorsNonce, targetsNonce);
    }

    /** What the initiator shows. */
    public byte[] ofInitiator(byte[] initiatorsNonce, byte[] targetsNonce) {
        return of(INITIATOR, initiatorsNonce, targetsNonce);
    }

    /** By what the connection is known among others; only who has the secret can say it. */
    public byte[] label() {
        return of(PLACE, NO_NONCE, NO_NONCE);
    }

    private byte[] of(byte[] side, byte[] initiatorsNonce, byte[] targetsNonce) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            mac.update(side);
            mac.update(initiatorsNonce);
            return mac.doFinal(targetsNonce);
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            throw new IllegalStateException("every Java has " + ALGORITHM, e);
        }
    }

    /** Whether two proofs are the same; takes the same time wherever they differ. */
    public static boolean isEqual(byte[] expected, byte[] shown) {
        return MessageDigest.isEqual(expected, shown);
    }
}
