package io.farheap.availability;

import io.farheap.base.FarheapException;
import java.util.Objects;

/**
 * A copy that was set apart, and may go if a person says so: {@link RecordRepair#apart}.
 *
 * @param node whose copy it is
 * @param holds what it holds, for people
 * @param nothing there is no file of it
 * @param uuid of its first part, by which it is named; empty: it can't be read, or there is nothing
 * @param holder who has it; empty: nobody
 * @param term of the record that set it apart
 */
public record DiscardedCopy(
        String node, String holds, boolean nothing, String uuid, String holder, long term) {
    /**
     * A copy is given up by its name only, which shows that a person has looked at it.
     *
     * @param named its uuid, as a person says it; empty: there is nothing of it
     * @throws FarheapException REPLICA when somebody has it, WRONG_USE when it is named wrongly or
     *     has no name that can be read
     */
    public void requireMayGo(String named) {
        Objects.requireNonNull(named, "named");
        if (!holder.isEmpty()) {
            throw FarheapException.replica(
                    "The copy of %s is in use by %s: end that first", node, holder);
        }
        if (!nothing && uuid.isEmpty()) {
            throw FarheapException.wrongUse(
                    "The copy of %s can't be read (%s), and may have commits that the pool lacks:"
                            + " nothing was changed. Mount or mend it, or move its files elsewhere"
                            + " if they may be wanted",
                    node, holds);
        }
        if (!named.equals(uuid)) {
            throw FarheapException.wrongUse(
                    "The copy of %s may have commits that the pool lacks, and it is overwritten once"
                            + " it is given up: nothing was changed. Keep its files elsewhere if"
                            + " they may be wanted; to lose what only it has, %s",
                    node,
                    nothing
                            ? "leave --discard away: there is nothing of it"
                            : "give --discard=" + uuid);
        }
    }
}
