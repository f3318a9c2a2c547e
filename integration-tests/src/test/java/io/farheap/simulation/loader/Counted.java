package io.farheap.simulation.loader;

import io.farheap.simulation.engine.Happening;
import java.lang.constant.ClassDesc;
import java.util.Map;

/** Methods of the product whose calls are counted: what histories bring it to do. */
final class Counted {
    private static final String REPLICATION = "io.farheap.replication.";

    /** By class and method. */
    static final Map<String, Happening> METHODS =
            Map.ofEntries(
                    Map.entry(REPLICATION + "CommitStream.claimWhenRoom", Happening.JOURNAL_FULL),
                    Map.entry(REPLICATION + "Verdicts.refused", Happening.NOT_COMPARABLE),
                    Map.entry(REPLICATION + "RunTerms.bringUp", Happening.REATTACHED),
                    Map.entry(REPLICATION + "DirtyMap.switching", Happening.LEFT_OUT),
                    Map.entry(REPLICATION + "DirtyMap.addTo", Happening.COPIED_BY_MAP),
                    Map.entry(REPLICATION + "Member.copyAll", Happening.COPIED_WHOLE),
                    Map.entry(REPLICATION + "Rejoin.joined", Happening.JOINED),
                    Map.entry(REPLICATION + "BatchPoster.resend", Happening.RESENT),
                    Map.entry(REPLICATION + "BackPressureEvent.fill", Happening.HELD_BACK),
                    Map.entry(REPLICATION + "AsyncFeeds.lost", Happening.LAGS_TOO_FAR),
                    Map.entry(REPLICATION + "DirtyBits.clear", Happening.MAP_CLEARED),
                    Map.entry(REPLICATION + "Member.caughtUp", Happening.CAUGHT_UP),
                    Map.entry(REPLICATION + "EpochSwitch.giveUpMap", Happening.MAP_GIVEN_UP),
                    Map.entry(REPLICATION + "ReplicaKeeper.renew", Happening.RENEWED),
                    Map.entry("io.farheap.agent.ImageTransfer.store", Happening.RECONCILED));

    private Counted() {}

    /** What is counted there; null: nothing. */
    static String at(ClassDesc owner, String method) {
        String type = owner.packageName() + "." + owner.displayName();
        Happening found = METHODS.get(type + "." + method);
        return found == null ? null : found.name();
    }
}
