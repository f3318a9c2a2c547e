package io.farheap.tools.survey;

import io.farheap.agent.OwnReplica;
import io.farheap.base.FarheapException;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.pool.DiskJournalRecovery;
import io.farheap.pool.PartInspection;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.PoolSetEdit;
import io.farheap.pool.SideFiles;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.RemoteReplica;
import io.farheap.poolset.Replica;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.session.AttachDecisions;
import io.farheap.tools.survey.CopyState.Condition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * All copies of a pool as they were found by one look, and the one judgement of which of them holds
 * what another one lacks. Only numbers of epochs prove that; what they don't prove is taken for
 * unknown, and a copy of unknown content for one that nothing else replaces.
 */
public final class Survey {
    private static final String CUT =
            "its creation was cut, and nobody ever committed in it; another copy holds the pool";

    private final PoolSet set;
    private final PoolInspection local;
    private final List<RemoteFinding> remotes;
    private final List<CopyState> copies = new ArrayList<>();

    private Survey(PoolInspection local, List<TargetAnswer> answers) {
        this.set = local.poolSet();
        this.local = local;
        this.remotes =
                answers.stream()
                        .filter(answer -> answer.report() != null)
                        .map(TargetAnswer::finding)
                        .toList();
        Optional<CopyState> own = anothersReplica(set);
        for (int r = 0; r < local.replicas().size(); r++) {
            copies.add(own.isPresent() ? own.get() : localCopy(r));
        }
        answers.forEach(answer -> copies.add(remoteCopy(answer)));
        copies.sort(Comparator.comparing(CopyState::place));
    }

    /** What was found already. */
    public static Survey of(PoolInspection local, List<TargetAnswer> answers) {
        return new Survey(local, answers);
    }

    /**
     * Looks at all copies, those on targets included; changes nothing and takes no lock. Targets
     * are asked all at once, each for a bounded time.
     */
    public static Survey look(PoolSet set, ReplicationSettings settings) {
        List<TargetAnswer> answers =
                Targets.ask(
                        set,
                        settings,
                        settings.attachTimeout().multipliedBy(2),
                        (place, index, client) -> client.inspect());
        return new Survey(PoolInspection.passing(set), answers);
    }

    /**
     * What of the pool the poolset file lacks, beside remote replicas; null: nothing that is known.
     * A header that names a remote replica which was made anew since can't be told from that.
     *
     * @param remotes those that were found; where that is not all of them nothing is known
     */
    public static String lacks(PoolInspection local, List<RemoteFinding> remotes) {
        boolean all =
                !remotes.isEmpty()
                        && remotes.size() == local.poolSet().remoteReplicas().size()
                        && remotes.stream().allMatch(remote -> remote.header() != null);
        if (!all || local.edit() != null) {
            return null;
        }
        PoolSetEdit edit =
                local.editBeside(
                        remotes.stream()
                                .map(remote -> remote.header().uuid())
                                .collect(Collectors.toSet()));
        return edit == null ? null : edit.text();
    }

    /**
     * The local replicas with those given up whose creation was cut, where another copy holds the
     * pool or may hold it: though their headers are right nobody ever committed in them.
     *
     * @param elsewhere whether a target holds a copy, or can't say
     */
    public static PoolInspection withoutCutCreations(PoolInspection local, boolean elsewhere) {
        PoolInspection judged = local;
        int count = local.replicas().size();
        List<Integer> cut = new ArrayList<>();
        boolean another = elsewhere;
        for (int r = 0; r < count; r++) {
            if (local.isNeverCompleted(r)) {
                cut.add(r);
            } else {
                another |= !isAbsent(local.replicas().get(r));
            }
        }
        if (another && local.inUse().isEmpty()) {
            for (int r : cut) {
                String first = local.replicas().get(r).get(0).path().toString();
                judged = judged.givenUp(r, first + ": " + CUT);
            }
        }
        return judged;
    }

    private static boolean isAbsent(List<PartInspection> parts) {
        return parts.stream().allMatch(p -> p.condition() == PartInspection.Condition.MISSING);
    }

    /** The healthy local replica of the newest run, by its index; -1: there is none. */
    public static int newest(PoolInspection local) {
        int newest = -1;
        for (int r = 0; r < local.replicas().size(); r++) {
            boolean later = newest < 0 || isLater(first(local, r), first(local, newest));
            newest = local.isHealthy(r) && later ? r : newest;
        }
        return newest;
    }

    private static PartInspection first(PoolInspection local, int replica) {
        return local.replicas().get(replica).get(0);
    }

    /** Whether one local replica is of a later run than another one, by their first parts. */
    public static boolean isLater(PartInspection one, PartInspection other) {
        return Long.compareUnsigned(one.runId(), other.runId()) > 0;
    }

    /** One for each replica of the poolset file, in its order. */
    public List<CopyState> copies() {
        return List.copyOf(copies);
    }

    /**
     * @param place in the poolset file
     */
    public CopyState at(int place) {
        return copies.stream().filter(copy -> copy.place() == place).findFirst().orElseThrow();
    }

    /** Those that can be opened, promoted or restored from. */
    List<CopyState> whole() {
        return copies.stream().filter(CopyState::isWhole).toList();
    }

    /**
     * The copy that provably has all that any other has; empty where none is whole, or numbers do
     * not prove it.
     */
    Optional<CopyState> most() {
        return whole().stream()
                .filter(one -> copies.stream().allMatch(other -> other == one || has(one, other)))
                .findFirst();
    }

    /**
     * Which of these copies hold commits, or may hold some, that no copy has which stays. They are
     * the last of them.
     *
     * @param gone copies of this survey that are to be removed or overwritten
     */
    public List<CopyState> lostWith(Collection<CopyState> gone) {
        List<CopyState> stay = copies.stream().filter(copy -> !gone.contains(copy)).toList();
        return copies.stream()
                .filter(gone::contains)
                .filter(copy -> !copy.isEmpty())
                .filter(copy -> stay.stream().noneMatch(other -> has(other, copy)))
                .toList();
    }

    /** Whether {@code one} provably has every commit of {@code other}. */
    public boolean has(CopyState one, CopyState other) {
        if (other.isEmpty()) {
            return true;
        }
        if (!one.isWhole()
                || one.holding() == null
                || one.pool() == null
                || !one.pool().equals(other.pool())) {
            return false;
        }
        if (other.condition() == Condition.HALF_COPIED) {
            return true; // what it had was given up when the copy to it began
        }
        if (other.holding() == null || other.condition() == Condition.UNREADABLE) {
            return false;
        }
        boolean here = one.host().isEmpty();
        boolean otherHere = other.host().isEmpty();
        if (here && otherHere) {
            return one.holding().number() == other.holding().number();
        }
        if (here) {
            return descends(one, finding(other));
        }
        return otherHere
                ? finding(one).continues(other.holding().number()) && !finding(one).mayLag()
                : finding(one).contains(finding(other));
    }

    private boolean descends(CopyState here, RemoteFinding remote) {
        long number = here.holding().number();
        AttachDecision kind = remote.report().slot().decisionOn(number, ancestors(remote, number));
        return kind == AttachDecision.CURRENT || kind == AttachDecision.STALE;
    }

    private List<Long> ancestors(RemoteFinding remote, long number) {
        try {
            return AttachDecisions.ancestors(
                    SideFiles.of(set).beside(),
                    local.anyHeader().poolsetUuid(),
                    remote.replica(),
                    number);
        } catch (FarheapException unreadable) {
            return List.of(); // a map that can't be read proves nothing
        }
    }

    private RemoteFinding finding(CopyState copy) {
        return remotes.stream()
                .filter(remote -> remote.number() == copy.place())
                .findFirst()
                .orElseThrow();
    }

    // ---- what each is ----

    private CopyState localCopy(int r) {
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
                place(replica),
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
    private static Optional<CopyState> anothersReplica(PoolSet set) {
        if (set.file().isEmpty()) {
            return Optional.empty();
        }
        Path file = Path.of(set.file());
        RemoteReplica here = new RemoteReplica(null, "localhost", 0, set.file());
        String first = set.master().parts().get(0).path().toString();
        return OwnReplica.look(file, set)
                .map(report -> remoteCopy(new TargetAnswer(0, 0, here, report, null)).here(first));
    }

    private Condition condition(int r) {
        List<PartInspection> parts = local.replicas().get(r);
        if (isAbsent(parts)) {
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

    private int place(Replica replica) {
        return set.replicas().indexOf(replica);
    }

    private static CopyState remoteCopy(TargetAnswer answer) {
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
