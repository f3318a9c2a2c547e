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
public record SessionOwner(String opening, long attempt) {
    /** Of who has no pool open. */
    public static final SessionOwner NONE = new SessionOwner("", 0);

    private static final int OPENING_BYTES = 16;

    public SessionOwner {
        Limits.require(opening != null && opening.matches("|[0-9a-f]{32}"), "opening");
        Limits.require(attempt >= 0, "attempt");
    }

    /** A fresh opening. */
    public static SessionOwner fresh() {
        byte[] bytes = new byte[OPENING_BYTES];
        new SecureRandom().nextBytes(bytes);
        return new SessionOwner(HexFormat.of().formatHex(bytes), 0);
    }

    /** The next attempt of the same opening. */
    public SessionOwner next() {
        return new SessionOwner(opening, attempt + 1);
    }
}
