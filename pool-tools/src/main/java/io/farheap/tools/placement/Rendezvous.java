package io.farheap.tools.placement;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Weighted rendezvous hashing: each machine has a score for each pool, by their names alone, and
 * the pool's copies are where it is highest. So a machine that comes takes copies from the others
 * and moves none between them, and of all pools it has the best score for a share that is its share
 * of the weights.
 */
final class Rendezvous {
    private static final int BITS = 53; // of a double

    private Rendezvous() {}

    /**
     * The same in every version and on every machine: what was placed by it stays.
     *
     * @param weight above 0
     */
    static double score(String pool, String node, double weight) {
        byte[] hash = sha256().digest((pool + '\n' + node).getBytes(StandardCharsets.UTF_8));
        long bits = ByteBuffer.wrap(hash).getLong() >>> (Long.SIZE - BITS);
        double chance = (bits + 0.5) / (1L << BITS); // between 0 and 1, and neither
        return weight / -StrictMath.log(chance);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
