package io.farheap.tools.placement;

/**
 * What a placement has to keep.
 *
 * @param copies of each pool; 0: as many as it has
 * @param spread the label in which any two copies of a pool differ; empty: they are on different
 *     machines
 * @param size bytes that one more copy takes
 * @param margin bytes that stay free on each machine besides
 * @param onlyNeeded a copy stays where it can, however much better another place is
 */
public record PlacementRules(
        int copies, String spread, long size, long margin, boolean onlyNeeded) {
    /** The same where copies may go to places that are better. */
    public PlacementRules(int copies, String spread, long size, long margin) {
        this(copies, spread, size, margin, false);
    }

    /** The label's value; the node itself where none is asked for; null: it has none. */
    String labelOf(Machine machine) {
        return spread.isEmpty() ? machine.node() : machine.labels().get(spread);
    }

    /** So many copies, for the middle of a sentence. */
    public String apart(int count) {
        if (count == 1) {
            return "1 copy";
        }
        return count
                + " copies (each "
                + (spread.isEmpty() ? "on another machine" : "of another " + spread)
                + ")";
    }

    /** What copies differ in, more than one of it. */
    String kinds() {
        return (spread.isEmpty() ? "machine" : spread) + "s";
    }
}
