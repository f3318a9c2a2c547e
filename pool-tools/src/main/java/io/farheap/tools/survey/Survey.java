package io.farheap.tools.survey;

import io.farheap.base.FarheapException;
import io.farheap.pool.PartInspection;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.PoolSetEdit;
import io.farheap.pool.SideFiles;
import io.farheap.poolset.PoolSet;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.session.AttachDecisions;
import io.farheap.tools.survey.CopyState.Condition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
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
        FoundCopies found = new FoundCopies(local);
        Optional<CopyState> own = found.ofOwnReplica();
        for (int r = 0; r < local.replicas().size(); r++) {
            copies.add(own.isPresent() ? own.get() : found.ofLocal(r));
        }
        answers.forEach(answer -> copies.add(FoundCopies.ofRemote(answer)));
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

    static boolean isAbsent(List<PartInspection> parts) {
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
}
