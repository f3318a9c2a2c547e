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
                    Map.entry(
                            REPLICATION + "stream.CommitStream.claimWhenRoom",
                            Happening.JOURNAL_FULL),
                    Map.entry(
                            REPLICATION + "session.AttachDecisions.refused",
                            Happening.NOT_COMPARABLE),
                    Map.entry(REPLICATION + "epoch.SwitchInRun.bringUp", Happening.REATTACHED),
                    Map.entry(REPLICATION + "dirty.DirtyMap.switching", Happening.LEFT_OUT),
                    Map.entry(REPLICATION + "dirty.DirtyMap.addTo", Happening.COPIED_BY_MAP),
                    Map.entry(REPLICATION + "session.MemberImage.copyAll", Happening.COPIED_WHOLE),
                    // The same while commits go on.
                    Map.entry(REPLICATION + "dirty.RegionSet.markAll", Happening.COPIED_WHOLE),
                    Map.entry(REPLICATION + "epoch.ReplicaCatchUp.joined", Happening.JOINED),
                    Map.entry(REPLICATION + "stream.BatchPoster.resend", Happening.RESENT),
                    Map.entry(REPLICATION + "stream.BackPressureEvent.fill", Happening.HELD_BACK),
                    Map.entry(REPLICATION + "stream.AsyncFeeds.lost", Happening.LAGS_TOO_FAR),
                    Map.entry(REPLICATION + "dirty.DirtyBits.clear", Happening.MAP_CLEARED),
                    Map.entry(REPLICATION + "session.ReplicaSession.caughtUp", Happening.CAUGHT_UP),
                    Map.entry(REPLICATION + "epoch.SwitchMaps.giveUpMap", Happening.MAP_GIVEN_UP),
                    Map.entry(REPLICATION + "epoch.ReplicaMonitor.renew", Happening.RENEWED),
                    Map.entry(
                            "io.farheap.memory.JournalRecovery.recover", Happening.DISK_RECOVERED),
                    Map.entry("io.farheap.memory.Checkpointer.checkpoint", Happening.CHECKPOINT),
                    Map.entry("io.farheap.agent.store.ImageTransfer.store", Happening.RECONCILED));

    private Counted() {}

    /** What is counted there; null: nothing. */
    static String at(ClassDesc owner, String method) {
        String type = owner.packageName() + "." + owner.displayName();
        Happening found = METHODS.get(type + "." + method);
        return found == null ? null : found.name();
    }
}
