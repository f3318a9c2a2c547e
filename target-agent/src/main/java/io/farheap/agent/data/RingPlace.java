package io.farheap.agent.data;

import io.farheap.base.FarheapException;
import io.farheap.base.PersistenceDomain;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.TargetListener;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.function.Supplier;

/**
 * Where the initiator's writes land, found by trying.
 *
 * @param listener waits for it
 * @param inPlace whether that is the journal itself
 * @param reason one sentence for a person, without a point
 */
record RingPlace(TargetListener listener, boolean inPlace, String reason) {

    /**
     * Over verbs: the journal itself where the network card can store to it so that its flush finds
     * what was stored, else a bounce ring.
     *
     * @param domain of the journal
     * @param published what the initiator may read besides; of no bytes where it need not
     * @throws FarheapException category ENVIRONMENT when neither is possible
     */
    static RingPlace overVerbs(
            Fabric fabric,
            InetAddress address,
            byte[] secret,
            PersistenceDomain domain,
            MemorySegment ring,
            Supplier<MemorySegment> bounceRing,
            MemorySegment published) {
        String why;
        if (domain == PersistenceDomain.PAGE_CACHE) {
            why = "the kernel would not write back what a network card stores to its pages";
        } else {
            try {
                return new RingPlace(
                        fabric.listen(address, 0, secret, ring, published),
                        true,
                        "the card can reach it");
            } catch (FarheapException e) {
                why = e.getMessage();
            }
        }
        return new RingPlace(fabric.listen(address, 0, secret, bounceRing.get()), false, why);
    }

    /** Over tcp it is the agent itself who stores. */
    static RingPlace overTcp(TargetListener listener) {
        return new RingPlace(listener, true, "the agent itself stores");
    }

    /** For a person: where, and why. */
    String describe() {
        return inPlace
                ? "records are written to the journal itself: " + reason
                : "records are written to a bounce ring, from where the agent copies them: "
                        + reason;
    }
}
