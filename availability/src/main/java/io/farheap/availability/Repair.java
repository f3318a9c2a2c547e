package io.farheap.availability;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What a person's repair of a pool's record would do, and what may be lost by it. */
public final class Repair {
    private final Map<String, String> copies;
    private final String found;
    private final List<String> losses;
    private final ClusterRecord wanted;
    private final long over;
    private final boolean fences;
    private final boolean needed;

    /**
     * @param wanted null: there is no change, for the reason that is said in {@code found}
     * @param over the version that it replaces
     * @param fences whether the node's own copy is taken from earlier writers
     */
    Repair(
            List<SeenCopy> copies,
            String found,
            List<String> losses,
            ClusterRecord wanted,
            long over,
            boolean fences,
            boolean needed) {
        this.copies = new TreeMap<>();
        copies.forEach(copy -> this.copies.put(copy.node(), copy.text()));
        this.found = found;
        this.losses = List.copyOf(losses);
        this.wanted = wanted;
        this.over = over;
        this.fences = fences;
        this.needed = needed;
    }

    /** By node, what its copy holds as far as that can be seen. */
    public Map<String, String> copies() {
        return copies;
    }

    /** What the store has now. */
    public String found() {
        return found;
    }

    /** A sentence for each copy of which something may be lost to the pool. */
    public List<String> losses() {
        return losses;
    }

    /** Whether anything is to be written; else the record is as it should be already. */
    public boolean isNeeded() {
        return needed;
    }

    /** What the record would be, or is. */
    public String record() {
        return Optional.ofNullable(wanted).map(ClusterRecord::toString).orElse(found);
    }

    ClusterRecord wanted() {
        return wanted;
    }

    long over() {
        return over;
    }

    boolean fences() {
        return fences;
    }
}
