package io.farheap.replication.control;

import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * Which opening of a pool asks for a replica. An agent that the same opening has left behind, which
 * may be stopped or cut off, is ended by the next one; no other agent is.
 *
 * @param opening random, made for one opening of the pool and told to nobody but agents: 32
 *     lower-case hexadecimal digits; empty: none, which is never the same
 * @param attempt grows with each hello of an opening: one that arrives late ends no later one's
 *     agent
 */
public record Claim(String opening, long attempt) {
    /** Of who has no pool open. */
    public static final Claim NONE = new Claim("", 0);

    private static final int OPENING_BYTES = 16;

    public Claim {
        Limits.require(opening != null && opening.matches("|[0-9a-f]{32}"), "opening");
        Limits.require(attempt >= 0, "attempt");
    }

    /** A fresh opening. */
    public static Claim fresh() {
        byte[] bytes = new byte[OPENING_BYTES];
        new SecureRandom().nextBytes(bytes);
        return new Claim(HexFormat.of().formatHex(bytes), 0);
    }

    /** The next attempt of the same opening. */
    public Claim next() {
        return new Claim(opening, attempt + 1);
    }
}
