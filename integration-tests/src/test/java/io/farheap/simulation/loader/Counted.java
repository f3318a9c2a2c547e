package io.farheap.simulation.loader;

import io.farheap.simulation.engine.Happening;
import java.lang.constant.ClassDesc;
import java.util.Map;

/** Methods of the product whose calls are counted: what histories bring it to do. */
final class Counted {
    private static final String REPLICATION = "io.farheap.replication.";

    /** By class and method. */
    static final Map<String, Happening> METHODS =
            Map.of(
                    REPLICATION + "CommitStream.claimWhenRoom",
                    Happening.JOURNAL_FULL,
                    REPLICATION + "Verdicts.refused",
                    Happening.NOT_COMPARABLE,
                    REPLICATION + "RunTerms.bringUp",
                    Happening.REATTACHED,
                    REPLICATION + "DirtyMap.switching",
                    Happening.LEFT_OUT,
                    REPLICATION + "DirtyMap.addTo",
                    Happening.COPIED_BY_MAP,
                    REPLICATION + "Member.copyAll",
                    Happening.COPIED_WHOLE,
                    REPLICATION + "Rejoin.joined",
                    Happening.JOINED,
                    REPLICATION + "BatchPoster.resend",
                    Happening.RESENT,
                    "io.farheap.agent.ImageTransfer.store",
                    Happening.RECONCILED);

    private Counted() {}

    /** What is counted there; null: nothing. */
    static String at(ClassDesc owner, String method) {
        String type = owner.packageName() + "." + owner.displayName();
        Happening found = METHODS.get(type + "." + method);
        return found == null ? null : found.name();
    }
}
