package io.farheap.tools.status;

import io.farheap.base.FarheapException;
import io.farheap.base.ReplicaStatus;
import io.farheap.layout.PoolHeader;
import io.farheap.memory.NativeFile;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.PoolSource;
import io.farheap.pool.SideFiles;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.dirty.DirtyMapSummary;
import io.farheap.replication.status.ProgramStatus;
import io.farheap.replication.status.StatusFile;
import io.farheap.tools.survey.NotClosed;
import io.farheap.tools.survey.RemoteFinding;
import io.farheap.tools.survey.Survey;
import io.farheap.tools.survey.TargetAnswer;
import io.farheap.tools.survey.Targets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Looks at all copies of a pool, without a lock and without a store, whether a program has it open
 * or not. Targets are asked all at once, each for a bounded time.
 */
public final class StatusLook {
    /** A switch meanwhile changes the number, and the look begins anew. */
    private static final int ATTEMPTS = 5;

    /** How many attach time-outs after its start a program is supposed to be opening the pool. */
    private static final int OPENING = 5;

    private static final String NOT_CLOSED =
            NotClosed.WHAT
                    + "; or a program in another container, which can't be seen from here, has it"
                    + " open";

    private final PoolSource source;
    private final PoolSet set;
    private final ReplicationSettings settings;
    private final Targets.Question question;

    /** Who has the pool open. */
    private record Opener(Long pid, String unknown) {
        boolean isThere() {
            return pid != null;
        }

        boolean isNobody() {
            return pid == null && unknown == null;
        }

        /** Whether it may yet be opening the pool. */
        boolean isNew(Duration attachTimeout) {
            return isThere()
                    && ProcessHandle.of(pid)
                            .flatMap(process -> process.info().startInstant())
                            .filter(
                                    start ->
                                            start.plus(attachTimeout.multipliedBy(OPENING))
                                                    .isAfter(Instant.now()))
                            .isPresent();
        }
    }

    public StatusLook(PoolSource source, PoolSet set, ReplicationSettings settings) {
        this(source, set, settings, (place, index, client) -> client.inspect());
    }

    /**
     * @param question may be asked again of the same target
     */
    public StatusLook(
            PoolSource source,
            PoolSet set,
            ReplicationSettings settings,
            Targets.Question question) {
        this.source = source;
        this.set = set;
        this.settings = settings;
        this.question = question;
    }

    /** How they are now. */
    public PoolStatus look() throws InterruptedException {
        for (int attempt = 1; ; attempt++) {
            Long before = LocalCopies.number(PoolInspection.passing(set));
            List<TargetAnswer> asked =
                    Targets.ask(set, settings, settings.attachTimeout().multipliedBy(2), question);
            Opener opener = opener();
            ProgramStatus said = said(opener);
            PoolInspection found = judged(opener, asked);
            Long number = LocalCopies.number(found);
            boolean settled =
                    number == null
                            || number.equals(before) && (said == null || said.epoch() == number);
            if (settled || attempt == ATTEMPTS) {
                boolean known = opener.isThere() || !LocalCopies.isAnyUnreadable(found);
                return status(found, known ? number : null, opener, said, asked);
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    /** While a program has it open its number may be one that it is about to change. */
    private PoolInspection judged(Opener opener, List<TargetAnswer> asked) {
        PoolInspection found = PoolInspection.passing(set);
        return opener.isThere()
                ? found
                : Survey.withoutCutCreations(found, asked.stream().anyMatch(TargetAnswer::mayHold));
    }

    private PoolStatus status(
            PoolInspection found,
            Long number,
            Opener opener,
            ProgramStatus said,
            List<TargetAnswer> asked) {
        PoolHeader header = found.anyHeader();
        List<CopyStatus> copies =
                new ArrayList<>(
                        new LocalCopies(found, source.path(), opener.isThere(), Elsewhere.of(asked))
                                .all());
        List<RemoteReplica> remotes = set.remoteReplicas();
        for (int i = 0; i < remotes.size(); i++) {
            RemoteReplica remote = remotes.get(i);
            RemoteJudgement judgement =
                    new RemoteJudgement(
                            source.path(),
                            remote,
                            set.replicas().indexOf(remote),
                            header == null ? null : header.poolsetUuid(),
                            number,
                            settings.tls().isFor(remote),
                            opener.isThere(),
                            said == null && opener.isNew(settings.attachTimeout()));
            ReplicaStatus its = said == null ? null : said.replica(remote.toString()).orElse(null);
            DirtyMapSummary notes = number == null ? null : notes(header, remote, number);
            TargetAnswer answer = asked.get(i);
            copies.add(
                    answer.report() != null
                            ? judgement.of(answer.report(), its, notes)
                            : answer.answers()
                                    ? judgement.refused(answer.failure().getMessage(), its, notes)
                                    : judgement.unreachable(
                                            answer.failure().getMessage(), its, notes));
        }
        copies.sort((a, b) -> Integer.compare(a.replica(), b.replica()));
        copies.stream()
                .filter(copy -> copy.verdict() == Standing.TAKEN_OVER)
                .findFirst()
                .ifPresent(taken -> copies.replaceAll(copy -> copy.beside(taken)));
        List<RemoteFinding> answered =
                asked.stream()
                        .filter(answer -> answer.report() != null)
                        .map(TargetAnswer::finding)
                        .toList();
        if (SideFiles.of(set).terms().stream().anyMatch(Files::exists)
                || answered.stream().anyMatch(remote -> remote.term() != 0)) {
            copies.replaceAll(CopyStatus::byRecord);
        }
        return PoolStatus.of(
                source.path().toString(),
                number,
                opener.pid(),
                opener.unknown(),
                said == null || said.comparedMillis() == 0
                        ? null
                        : CopyStatus.seconds(Instant.ofEpochMilli(said.comparedMillis())),
                opener.isNobody() && NotClosed.isIn(found) ? NOT_CLOSED : null,
                Survey.lacks(found, answered),
                copies);
    }

    private DirtyMapSummary notes(PoolHeader header, RemoteReplica remote, long number) {
        try {
            return DirtyMapSummary.of(
                            SideFiles.of(set).beside(), header.poolsetUuid(), remote, number)
                    .orElse(null);
        } catch (FarheapException unreadable) {
            return new DirtyMapSummary(List.of(), 0); // it proves nothing
        }
    }

    // ---- who has it open ----

    private Opener opener() {
        Path first = SideFiles.of(set).beside();
        try {
            OptionalLong pid = NativeFile.lockedBy(first);
            return new Opener(pid.isPresent() ? pid.getAsLong() : null, null);
        } catch (IOException e) {
            // Then its own word must do.
            Long alive =
                    StatusFile.read(SideFiles.of(set).status())
                            .map(ProgramStatus::pid)
                            .filter(pid -> ProcessHandle.of(pid).isPresent())
                            .orElse(null);
            return new Opener(alive, alive == null ? whyUnknown(first, e) : null);
        }
    }

    private static String whyUnknown(Path first, IOException e) {
        return e instanceof NoSuchFileException
                ? first + " is missing, whose lock would tell"
                : String.valueOf(e.getMessage());
    }

    /** What that program says; what another one left means nothing. */
    private ProgramStatus said(Opener opener) {
        return StatusFile.read(SideFiles.of(set).status())
                .filter(status -> opener.isThere() && opener.pid() == status.pid())
                .orElse(null);
    }
}
