package io.farheap.tools.verify;

import io.farheap.FarheapException;
import io.farheap.heap.OffsetMeanings;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.PoolSource;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.ComparedReplica;
import io.farheap.replication.ImageSums;
import io.farheap.replication.RemoteReplicaClient;
import io.farheap.replication.ReplicationSettings;
import io.farheap.replication.control.ByteRange;
import io.farheap.tools.Progress;
import io.farheap.tools.status.CopyStatus;
import io.farheap.tools.status.PoolStatus;
import io.farheap.tools.status.Standing;
import io.farheap.tools.status.StatusLook;
import io.farheap.tools.verify.CopyResult.Difference;
import io.farheap.tools.verify.CopyResult.Finding;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** One comparison of all copies of a pool that nobody has open. Changes nothing. */
final class Verification implements AutoCloseable {
    private static final long MIB = 1 << 20;

    /** A remote copy that has content, of whatever version. */
    private static final Set<Standing> COMPARABLE =
            EnumSet.of(
                    Standing.CURRENT,
                    Standing.STALE,
                    Standing.INCOMPLETE,
                    Standing.NOT_COMPARABLE,
                    Standing.TAKEN_OVER,
                    Standing.OPENED_ON_TARGET,
                    Standing.UNKNOWN);

    private final PoolSource source;
    private final PoolSet set;
    private final ReplicationSettings settings;
    private final List<Subject> subjects = new ArrayList<>();
    private final List<ComparedReplica> remotes = new ArrayList<>();
    private LocalImages local;
    private Subject reference;
    private boolean open;
    private Meaningful meaningful = Meaningful.everything();

    /** One copy, and what is known of it. */
    private static final class Subject {
        final CopyStatus status;

        /** Among the local ones; -1: it is a remote one. */
        final int index;

        Copy copy;
        Against against;
        Finding finding;
        String explanation;
        String damage;
        boolean sameCommits;
        List<ByteRange> notApplied = List.of();

        Subject(CopyStatus status, int index) {
            this.status = status;
            this.index = index;
        }

        void notCompared(Finding what, String why) {
            finding = what;
            explanation = why;
        }
    }

    private Verification(PoolSource source, PoolSet set, ReplicationSettings settings) {
        this.source = source;
        this.set = set;
        this.settings = settings;
    }

    static VerifyResult run(PoolSource source, PoolSet set, ReplicationSettings settings)
            throws InterruptedException {
        PoolStatus status = new StatusLook(source, set, settings).look();
        try (Verification run = new Verification(source, set, settings)) {
            return run.run(status);
        }
    }

    private VerifyResult run(PoolStatus status) {
        for (CopyStatus copy : status.replicas()) {
            boolean here = set.replicas().get(copy.replica()) instanceof LocalReplica;
            int index = here ? set.localReplicas().indexOf(set.replicas().get(copy.replica())) : -1;
            subjects.add(new Subject(copy, index));
        }
        PoolInspection found = PoolInspection.of(set);
        if (status.openIn() != null || !found.inUse().isEmpty()) {
            return open(status);
        }
        local = LocalImages.open(found, status.number());
        subjects.stream().filter(subject -> subject.index >= 0).forEach(this::takeLocal);
        subjects.stream().filter(subject -> subject.index < 0).forEach(this::takeRemote);
        chooseReference();
        if (reference == null) {
            return result(status, 0, "no copy can be compared", "");
        }
        compare();
        return judged(status);
    }

    // ---- what is there ----

    private VerifyResult open(PoolStatus status) {
        open = true;
        for (Subject subject : subjects) {
            boolean differs = subject.status.verdict() == Standing.DIFFERENT;
            subject.notCompared(
                    Finding.NOT_COMPARED,
                    differs
                            ? "the program that has the pool found: " + subject.status.explanation()
                            : "the pool is open, so its bytes change while they are read");
        }
        return result(
                status,
                0,
                "a program has the pool open: nothing was compared. It compares its attached remote"
                        + " replicas by itself (farheap status shows what it found,"
                        + " ObjectPool.scrub() does it at once); local replicas can't be compared"
                        + " while it runs",
                "close the program, then farheap verify " + source.path());
    }

    private void takeLocal(Subject subject) {
        MemorySegment image = local.image(subject.index);
        Standing standing = subject.status.verdict();
        if (image == null) {
            subject.notCompared(Finding.BROKEN, subject.status.explanation());
            return;
        }
        subject.copy = (from, length, chunk) -> ImageSums.of(image, from, length, chunk);
        subject.sameCommits = standing == Standing.CURRENT || standing == Standing.BROKEN;
        subject.damage =
                standing == Standing.BROKEN
                        ? subject.status.explanation()
                        : local.damage(subject.index);
    }

    private void takeRemote(Subject subject) {
        RemoteReplica replica = (RemoteReplica) set.replicas().get(subject.status.replica());
        Standing standing = subject.status.verdict();
        if (subject.status.heldBy() != null) {
            subject.notCompared(
                    Finding.NOT_COMPARED, "it is attached to " + subject.status.heldBy());
            return;
        }
        if (!COMPARABLE.contains(standing)) {
            boolean broken = standing == Standing.BROKEN;
            subject.notCompared(
                    broken ? Finding.BROKEN : Finding.NOT_COMPARED, subject.status.explanation());
            return;
        }
        try {
            int index = set.remoteReplicas().indexOf(replica);
            ComparedReplica taken = new RemoteReplicaClient(replica, index, settings).compare();
            remotes.add(taken);
            if (taken.slot().cur() != subject.status.slot().number()) {
                subject.notCompared(Finding.NOT_COMPARED, "it was attached meanwhile: try again");
            } else if (taken.imageSize() < set.poolSize()) {
                subject.notCompared(Finding.NOT_COMPARED, "it is smaller than the pool");
            } else {
                subject.copy = taken::sums;
                subject.sameCommits = standing == Standing.CURRENT;
                subject.notApplied = taken.notApplied();
            }
        } catch (FarheapException e) {
            subject.notCompared(Finding.NOT_COMPARED, e.getMessage());
        }
    }

    /** A local copy that can be opened; else whatever there is, free memory included. */
    private void chooseReference() {
        for (int r : local.newest()) {
            Subject candidate = ofIndex(r);
            if (reference == null && candidate.copy != null) {
                reference = candidate;
            }
        }
        if (reference != null && local.view() != null) {
            meaningful = Meaningful.by(local.view(), set.poolSize());
        }
        for (Subject subject : subjects) {
            if (reference == null && subject.copy != null) {
                reference = subject;
            }
        }
    }

    private Subject ofIndex(int index) {
        return subjects.stream()
                .filter(subject -> subject.index == index)
                .findFirst()
                .orElseThrow();
    }

    // ---- the comparison ----

    private void compare() {
        List<Against> others = new ArrayList<>();
        for (Subject subject : subjects) {
            if (subject.copy != null && subject != reference) {
                subject.against =
                        new Against(subject.copy, subject.sameCommits, subject.notApplied);
                others.add(subject.against);
            }
        }
        long bytes = set.poolSize();
        try (Progress bar =
                Progress.start("comparing", "MiB", MIB, Math.max(1, others.size()) * bytes)) {
            new Comparison(reference.copy, meaningful, others, bar::advanced).run(bytes);
        }
    }

    private VerifyResult judged(PoolStatus status) {
        boolean differ =
                subjects.stream().anyMatch(s -> s.against != null && !s.against.places().isEmpty());
        List<Judgement.Voter> voters = new ArrayList<>();
        for (Subject subject : subjects) {
            if (subject.copy != null && subject.sameCommits) {
                if (differ && subject.index >= 0 && subject.damage == null) {
                    subject.damage = local.inconsistency(subject.index);
                }
                List<ByteRange> places =
                        subject == reference ? List.of() : subject.against.places();
                voters.add(
                        new Judgement.Voter(
                                subject.status.replica(), subject.copy, places, subject.damage));
            }
        }
        Judgement judgement = Judgement.of(voters);
        subjects.forEach(subject -> conclude(subject, judgement, differ));
        long equal = subjects.stream().filter(s -> s.finding == Finding.EQUAL).count();
        List<String> steps = subjects.stream().map(s -> s.status.nextStep()).toList();
        Conclusion conclusion = new Conclusion(source.path(), set, (int) equal, judgement, differ);
        return result(status, set.poolSize(), conclusion.verdict(), conclusion.nextStep(steps));
    }

    private void conclude(Subject subject, Judgement judgement, boolean differ) {
        if (subject.copy == null) {
            return;
        }
        int place = subject.status.replica();
        if (!subject.sameCommits) {
            subject.finding = Finding.OTHER_VERSION;
            subject.explanation = subject.status.explanation();
        } else if (judgement.wrong().contains(place)) {
            boolean broken = subject.status.verdict() == Standing.BROKEN;
            subject.finding = broken ? Finding.BROKEN : Finding.WRONG;
            subject.explanation = subject.damage;
        } else {
            subject.finding =
                    !differ || judgement.right().contains(place)
                            ? Finding.EQUAL
                            : Finding.DIFFERENT;
        }
    }

    // ---- the result ----

    private VerifyResult result(PoolStatus status, long bytes, String verdict, String nextStep) {
        boolean equal = bytes > 0 && subjects.stream().allMatch(s -> s.finding == Finding.EQUAL);
        return new VerifyResult(
                source.path().toString(),
                status.number(),
                open,
                status.openIn(),
                bytes,
                equal,
                meaningful.knowsFreeMemory(),
                verdict,
                nextStep,
                subjects.stream().map(this::result).toList());
    }

    private CopyResult result(Subject subject) {
        Against against = subject.against;
        boolean exact = against != null && subject.sameCommits;
        return new CopyResult(
                subject.status.replica(),
                subject.status.host(),
                subject.status.name(),
                subject.finding,
                subject.explanation,
                subject == reference,
                exact ? against.placeCount() : null,
                exact ? against.bytes() : null,
                against != null && !exact ? against.pages() : null,
                exact && against.unsettledBytes() > 0 ? against.unsettledBytes() : null,
                exact ? differences(subject) : null);
    }

    private List<Difference> differences(Subject subject) {
        List<ByteRange> places = subject.against.places();
        long[] offsets = places.stream().mapToLong(ByteRange::offset).toArray();
        long[] lengths = places.stream().mapToLong(ByteRange::length).toArray();
        String[] meanings =
                reference.index < 0
                        ? new String[offsets.length]
                        : OffsetMeanings.of(local.image(reference.index), offsets, lengths);
        List<Difference> differences = new ArrayList<>();
        for (int i = 0; i < offsets.length; i++) {
            differences.add(difference(subject, offsets[i], lengths[i], meanings[i]));
        }
        return differences;
    }

    private Difference difference(Subject subject, long offset, long length, String meaning) {
        if (subject.index < 0) {
            return new Difference(offset, length, null, null, meaning);
        }
        LocalReplica replica = set.localReplicas().get(subject.index);
        int part = replica.parts().size() - 1;
        while (set.imageOffset(replica, part) > offset) {
            part--;
        }
        return new Difference(
                offset,
                length,
                replica.parts().get(part).path().toString(),
                offset - set.imageOffset(replica, part) + set.imageStart(part),
                meaning);
    }

    @Override
    public void close() {
        remotes.forEach(ComparedReplica::close);
        if (local != null) {
            local.close();
        }
    }
}
