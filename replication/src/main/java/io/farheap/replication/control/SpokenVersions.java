package io.farheap.replication.control;

import java.util.OptionalInt;

/**
 * The versions of the control protocol that one side speaks: all from the lowest to the highest. A
 * release has its own and the one before it, so that machines are upgraded one after another
 * (docs/upgrade.md#rolling-upgrade). The greeting and the hello say them, in fields that no version
 * changes; both sides then use the highest that both know.
 */
public record SpokenVersions(int lowest, int highest) {
    /** Those of this build. Before its version none was released. */
    public static final SpokenVersions OURS = new SpokenVersions(Reply.VERSION, Reply.VERSION);

    public SpokenVersions {
        Limits.require(highest > 0, "version");
        Limits.require(lowest > 0 && lowest <= highest, "lowestVersion");
    }

    /**
     * As a message has them.
     *
     * @param lowest null: it speaks the highest only
     */
    static SpokenVersions of(Integer lowest, int highest) {
        return new SpokenVersions(lowest == null ? highest : lowest, highest);
    }

    /** The highest that both know; empty: there is none. */
    public OptionalInt agreedWith(SpokenVersions other) {
        int both = Math.min(highest, other.highest);
        return both >= Math.max(lowest, other.lowest) ? OptionalInt.of(both) : OptionalInt.empty();
    }

    /**
     * What is to be done where an agent and a program have none in common: the older one of the two
     * is left behind.
     */
    public static String advice(SpokenVersions agent, SpokenVersions program) {
        return agent.highest < program.lowest
                ? "upgrade the agent first, or run the program of a release that speaks version "
                        + agent.highest
                : "upgrade the program first, or run the agent of a release that speaks version "
                        + program.highest;
    }

    @Override
    public String toString() {
        return lowest == highest
                ? Reply.PROTOCOL + " " + highest
                : Reply.PROTOCOL + " " + lowest + " to " + highest;
    }
}
