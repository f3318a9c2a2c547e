package io.farheap.availability;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/** What a person's repair of a pool's record would do, and what may be lost by it. */
public final class Repair {
    private final Map<String, String> copies;
    private final String found;
    private final List<String> losses;
    private final ClusterRecord wanted;
    private final long over;
    private final boolean fences;
    private final boolean needed;
    private final Supplier<Repair> again;

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
        this(texts(copies), found, losses, wanted, over, fences, needed, null);
    }

    private Repair(
            Map<String, String> copies,
            String found,
            List<String> losses,
            ClusterRecord wanted,
            long over,
            boolean fences,
            boolean needed,
            Supplier<Repair> again) {
        this.copies = copies;
        this.found = found;
        this.losses = List.copyOf(losses);
        this.wanted = wanted;
        this.over = over;
        this.fences = fences;
        this.needed = needed;
        this.again = again;
    }

    private static Map<String, String> texts(List<SeenCopy> copies) {
        Map<String, String> texts = new TreeMap<>();
        copies.forEach(copy -> texts.put(copy.node(), copy.text()));
        return texts;
    }

    /** The record is as it should be. */
    static Repair none(List<SeenCopy> copies, ClusterRecord record, boolean fences) {
        return new Repair(copies, record.toString(), List.of(), record, 0, fences, false);
    }

    /**
     * The same.
     *
     * @param look makes it anew, from what is there then
     */
    Repair again(Supplier<Repair> look) {
        return new Repair(copies, found, losses, wanted, over, fences, needed, look);
    }

    /**
     * What it is by what is there now.
     *
     * @throws io.farheap.base.FarheapException it must not be done any more
     */
    Repair lookAgain() {
        return again.get();
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
