package io.farheap.tools.failover;

import io.farheap.base.FarheapException;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.RemoteReplicaClient;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.tools.placement.Machine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Asks agents how much is free on their machines, some at a time. */
final class MachineRooms {
    private static final int AT_A_TIME = 16;

    private MachineRooms() {}

    /** The machines with what their agents say, in the same order. */
    static List<Machine> ask(List<MachinesFile.Entry> entries, ReplicationSettings settings) {
        Duration patience =
                settings.attachTimeout()
                        .multipliedBy(2)
                        .multipliedBy(1 + entries.size() / AT_A_TIME);
        ExecutorService askers =
                Executors.newFixedThreadPool(AT_A_TIME, Thread.ofPlatform().daemon().factory());
        try {
            List<CompletableFuture<Machine>> answers = new ArrayList<>();
            for (int i = 0; i < entries.size(); i++) {
                MachinesFile.Entry entry = entries.get(i);
                int index = i;
                answers.add(
                        entry.inspect() == null
                                ? CompletableFuture.completedFuture(entry.machine())
                                : CompletableFuture.supplyAsync(
                                                () -> asked(entry, index, settings), askers)
                                        .completeOnTimeout(
                                                entry.machine()
                                                        .silent(
                                                                "no answer within "
                                                                        + patience.toSeconds()
                                                                        + " s"),
                                                patience.toNanos(),
                                                TimeUnit.NANOSECONDS));
            }
            return answers.stream().map(CompletableFuture::join).toList();
        } finally {
            askers.shutdownNow();
        }
    }

    private static Machine asked(
            MachinesFile.Entry entry, int index, ReplicationSettings settings) {
        RemoteReplica place = entry.inspect();
        try {
            RemoteReplicaClient client = new RemoteReplicaClient(place, index, settings);
            return entry.machine().withRoom(client.inspect().room());
        } catch (FarheapException e) {
            String said = String.valueOf(e.getMessage());
            String prefix = "replica " + place + ": ";
            return entry.machine()
                    .silent(said.startsWith(prefix) ? said.substring(prefix.length()) : said);
        } catch (RuntimeException e) {
            return entry.machine().silent("the attempt failed by a fault: " + e);
        }
    }
}
