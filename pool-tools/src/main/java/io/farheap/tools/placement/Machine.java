package io.farheap.tools.placement;

import io.farheap.poolset.PartSize;
import io.farheap.poolset.RemoteReplica;
import java.util.Map;

/**
 * A machine that may have copies, as its owner describes it and as its agent answers.
 *
 * @param node its name in a store, and in what is printed
 * @param address {@code [user@]host[:port]}, as REPLICA lines have it
 * @param directory where part files lie, an absolute path
 * @param poolsets where the copies' poolset files lie under the agent's poolset directory; empty:
 *     in it
 * @param labels what sets it apart or not: a zone, a rack
 * @param weight how many GiB it counts as, whatever is free; 0: it is to have no copy; null: what
 *     is free counts
 * @param room bytes that are free; null: not known
 * @param silence why its agent, which was asked, does not answer; empty: it does, or was not asked
 */
public record Machine(
        String node,
        String address,
        String directory,
        String poolsets,
        Map<String, String> labels,
        Double weight,
        Long room,
        String silence) {
    private static final double GIB = 1L << 30;

    /** Copies what may change. */
    public Machine {
        labels = Map.copyOf(labels);
    }

    /** The same with what is free there. */
    public Machine withRoom(Long bytes) {
        return new Machine(node, address, directory, poolsets, labels, weight, bytes, silence);
    }

    /** The same, of an agent that does not answer. */
    public Machine silent(String why) {
        return new Machine(node, address, directory, poolsets, labels, weight, null, why);
    }

    /** Whether it is to have no copy. */
    boolean isRetired() {
        return weight != null && weight == 0;
    }

    /** Whether REPLICA lines tell its node: else a program names that, when it opens a pool. */
    boolean isNamedByHost() {
        return RemoteReplica.at(address, "any").filter(at -> at.host().equals(node)).isPresent();
    }

    /** Whether it is known how much it counts. */
    boolean hasClaim() {
        return weight != null || room != null;
    }

    /**
     * How much it counts beside others, in bytes.
     *
     * @param held bytes of the copies that it has: they don't make it count less
     */
    double claim(double held) {
        return weight != null ? weight * GIB : room + held;
    }

    /** The line of a copy's part. */
    public String partLine(String pool, long size) {
        return PartSize.format(size) + " " + partFile(pool);
    }

    /** Where the copy's part lies, or the first of them. */
    public String partFile(String pool) {
        return (directory.equals("/") ? "" : directory) + "/" + pool + ".part0";
    }

    /** The line by which other machines' poolset files name its copy. */
    public String replicaLine(String pool) {
        return "REPLICA " + address + " " + copyFile(pool);
    }

    /** The copy's poolset file, under the agent's poolset directory. */
    public String copyFile(String pool) {
        return (poolsets.isEmpty() ? "" : poolsets + "/") + pool + "-copy.set";
    }
}
