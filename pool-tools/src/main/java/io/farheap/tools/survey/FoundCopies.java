package io.farheap.tools.survey;

import io.farheap.agent.OwnReplica;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.pool.DiskJournalRecovery;
import io.farheap.pool.PartInspection;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.SideFiles;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.RemoteReplica;
import io.farheap.tools.survey.CopyState.Condition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What was found of each copy of a pool, told in the same words for copies here and on targets:
 * whether it is whole, what it holds, and what is wrong with it. How copies compare is for {@link
 * Survey}.
 */
final class FoundCopies {
    private final PoolSet set;
    private final PoolInspection local;

    FoundCopies(PoolInspection local) {
        this.set = local.poolSet();
        this.local = local;
    }

    /** A local replica, by its index. */
    CopyState ofLocal(int r) {
        LocalReplica replica = set.localReplicas().get(r);
        List<PartInspection> parts = local.replicas().get(r);
        String problem =
                parts.stream()
                        .map(PartInspection::problem)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse(null);
        PoolUuid pool =
                parts.stream()
                        .map(PartInspection::header)
                        .filter(header -> header != null && header.hasSignature())
                        .map(PoolHeader::poolsetUuid)
                        .findFirst()
                        .orElse(null);
        PartInspection first = parts.get(0);
        boolean numbered = first.header() != null && first.runId() != 0;
        Condition condition = condition(r);
        CopyVersion holding =
                condition == Condition.NEVER_COMPLETED || !numbered
                        ? null
                        : new CopyVersion(
                                first.runId(), null, condition == Condition.WHOLE, written(parts));
        return new CopyState(
                set.replicas().indexOf(replica),
                "",
                replica.parts().get(0).path().toString(),
                condition,
                pool,
                local.knownUuid(r, 0),
                set.poolSize(),
                holding,
                problem);
    }

    /** On its target: what it holds is in its journal, and nothing of it in its image. */
    Optional<CopyState> ofOwnReplica() {
        if (set.file().isEmpty()) {
            return Optional.empty();
        }
        Path file = Path.of(set.file());
        RemoteReplica here = new RemoteReplica(null, "localhost", 0, set.file());
        String first = set.master().parts().get(0).path().toString();
        return OwnReplica.look(file, set)
                .map(report -> ofRemote(new TargetAnswer(0, 0, here, report, null)).here(first));
    }

    private Condition condition(int r) {
        List<PartInspection> parts = local.replicas().get(r);
        if (Survey.isAbsent(parts)) {
            return Condition.ABSENT;
        }
        if (parts.stream().anyMatch(PartInspection::isUnknown)) {
            return Condition.UNREADABLE;
        }
        if (local.isNeverCompleted(r)) {
            return Condition.NEVER_COMPLETED;
        }
        return local.isHealthy(r) ? Condition.WHOLE : Condition.DAMAGED;
    }

    private Instant written(List<PartInspection> parts) {
        Instant last = null;
        List<Path> files = new ArrayList<>();
        parts.forEach(part -> files.add(part.path()));
        if (DiskJournalRecovery.isNeeded(set)) {
            files.add(new SideFiles(files.get(0)).diskJournal());
        }
        for (Path file : files) {
            try {
                Instant its = Files.getLastModifiedTime(file).toInstant();
                last = last == null || its.isAfter(last) ? its : last;
            } catch (IOException e) {
                return last; // it is help only
            }
        }
        return last;
    }

    /** A remote replica, by what its target has answered or has not. */
    static CopyState ofRemote(TargetAnswer answer) {
        if (answer.report() == null) {
            return remote(answer, Condition.UNREACHABLE, null, null, answer.failure().getMessage());
        }
        RemoteFinding found = answer.finding();
        PoolUuid pool = found.poolsetUuid();
        List<String> faults = found.report().faults();
        if (found.report().slot() == null) {
            return faults.isEmpty()
                    ? remote(answer, Condition.ABSENT, null, null, "the target has no files of it")
                    : remote(answer, Condition.DAMAGED, pool, null, String.join("; ", faults));
        }
        CopyVersion holding = CopyVersion.of(found.report().slot());
        if (!faults.isEmpty()) {
            return found.isHeld()
                    ? remote(answer, Condition.IN_USE, pool, holding, found.report().holder())
                    : remote(answer, Condition.DAMAGED, pool, holding, String.join("; ", faults));
        }
        return switch (found.report().slot().state()) {
            case NEW ->
                    remote(
                            answer,
                            Condition.NEVER_COMPLETED,
                            pool,
                            null,
                            "it never got any content");
            case SYNCING ->
                    remote(
                            answer,
                            Condition.HALF_COPIED,
                            pool,
                            holding,
                            "a copy to it never ended");
            case INSYNC, PROMOTED, MEMORY -> remote(answer, Condition.WHOLE, pool, holding, null);
        };
    }

    private static CopyState remote(
            TargetAnswer answer,
            Condition condition,
            PoolUuid pool,
            CopyVersion holding,
            String problem) {
        return new CopyState(
                answer.place(),
                answer.replica().host(),
                answer.replica().descriptor(),
                condition,
                pool,
                own(answer, pool),
                answer.report() == null ? 0 : answer.report().imageSize(),
                holding,
                problem);
    }

    private static PoolUuid own(TargetAnswer answer, PoolUuid pool) {
        return pool == null ? null : answer.finding().header().uuid();
    }
}
