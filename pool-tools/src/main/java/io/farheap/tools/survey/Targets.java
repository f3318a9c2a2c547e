package io.farheap.tools.survey;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.RemoteReplicaClient;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.session.ReplicaReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The targets of a pool, asked all at once, each for a bounded time. */
public final class Targets {

    /** How a target is asked. */
    public interface Question {
        /**
         * @param place of the replica in the poolset file
         * @param index of the replica among the remote ones
         * @throws FarheapException when the target can't be reached, or refuses
         */
        ReplicaReport ask(int place, int index, RemoteReplicaClient client)
                throws InterruptedException;
    }

    private Targets() {}

    /** What each of them says, in the order of the poolset file. */
    public static List<TargetAnswer> ask(
            PoolSet set, ReplicationSettings settings, Duration patience, Question question) {
        List<RemoteReplica> remotes = set.remoteReplicas();
        List<CompletableFuture<TargetAnswer>> answers = new ArrayList<>();
        for (int i = 0; i < remotes.size(); i++) {
            TargetAnswer asked =
                    new TargetAnswer(
                            set.replicas().indexOf(remotes.get(i)), i, remotes.get(i), null, null);
            CompletableFuture<TargetAnswer> answer = new CompletableFuture<>();
            answers.add(answer);
            Thread.ofPlatform()
                    .daemon()
                    .name("farheap-ask-" + i)
                    .start(() -> answer.complete(answer(asked, settings, question)));
            answer.completeOnTimeout(
                    failed(asked, "no answer within " + patience.toSeconds() + " s", null),
                    patience.toNanos(),
                    TimeUnit.NANOSECONDS);
        }
        return answers.stream().map(CompletableFuture::join).toList();
    }

    private static TargetAnswer answer(
            TargetAnswer asked, ReplicationSettings settings, Question question) {
        try {
            RemoteReplicaClient client =
                    new RemoteReplicaClient(asked.replica(), asked.index(), settings);
            ReplicaReport report = question.ask(asked.place(), asked.index(), client);
            return new TargetAnswer(asked.place(), asked.index(), asked.replica(), report, null);
        } catch (FarheapException e) {
            return new TargetAnswer(asked.place(), asked.index(), asked.replica(), null, e);
        } catch (InterruptedException e) {
            return failed(asked, "interrupted while it was asked", e);
        } catch (RuntimeException e) {
            return failed(asked, "the attempt failed by a fault: " + e, e);
        }
    }

    private static TargetAnswer failed(TargetAnswer asked, String why, Exception cause) {
        FarheapException failure = new FarheapException(Category.REPLICA, why, cause);
        return new TargetAnswer(asked.place(), asked.index(), asked.replica(), null, failure);
    }
}
