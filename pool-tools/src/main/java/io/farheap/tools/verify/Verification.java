package io.farheap.tools.verify;

import io.farheap.base.FarheapException;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.PoolSource;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.session.ComparedReplica;
import io.farheap.tools.command.LongWork;
import io.farheap.tools.report.Progress;
import io.farheap.tools.status.CopyStatus;
import io.farheap.tools.status.PoolStatus;
import io.farheap.tools.status.Standing;
import io.farheap.tools.status.StatusLook;
import io.farheap.tools.verify.CopyResult.Finding;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** One comparison of all copies of a pool that nobody has open. Changes nothing. */
public final class Verification implements AutoCloseable {
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
    private final LongWork work;
    private final List<Subject> subjects = new ArrayList<>();
    private final TakenReplicas remotes = new TakenReplicas();
    private LocalImages local;
    private Subject reference;
    private boolean open;
    private Meaningful meaningful = Meaningful.everything();

    private Verification(
            PoolSource source, PoolSet set, ReplicationSettings settings, LongWork work) {
        this.source = source;
        this.set = set;
        this.settings = settings;
        this.work = work;
    }

    /**
     * Compares them. Whatever goes wrong with one copy is said of that one.
     *
     * @param work how fast it goes
     * @throws io.farheap.base.FarheapException when the copies here can't be looked at
     */
    public static VerifyResult run(
            PoolSource source, PoolSet set, ReplicationSettings settings, LongWork work)
            throws InterruptedException {
        try (Verification run = new Verification(source, set, settings, work)) {
            return run.run();
        }
    }

    private VerifyResult run() throws InterruptedException {
        PoolInspection found = PoolInspection.of(set);
        found.requireReadable();
        boolean inUse = !found.inUse().isEmpty();
        PoolStatus status =
                inUse
                        ? new StatusLook(source, set, settings).look()
                        : new StatusLook(source, set, settings, remotes::ask).look();
        for (CopyStatus copy : status.replicas()) {
            boolean here = set.replicas().get(copy.replica()) instanceof LocalReplica;
            int index = here ? set.localReplicas().indexOf(set.replicas().get(copy.replica())) : -1;
            subjects.add(new Subject(copy, index));
        }
        if (inUse || status.openIn() != null) {
            return open(status);
        }
        local = LocalImages.open(found, status.number());
        subjects.stream().filter(subject -> subject.index >= 0).forEach(this::takeLocal);
        subjects.stream().filter(subject -> subject.index < 0).forEach(this::takeRemote);
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
        subject.copy = new LocalBytes(image);
        subject.sameCommits = standing == Standing.CURRENT || standing == Standing.BROKEN;
        subject.damage =
                standing == Standing.BROKEN
                        ? subject.status.explanation()
                        : local.damage(subject.index);
    }

    private void takeRemote(Subject subject) {
        RemoteReplica replica = (RemoteReplica) set.replicas().get(subject.place());
        int index = set.remoteReplicas().indexOf(replica);
        Standing standing = subject.status.verdict();
        ComparedReplica taken = remotes.get(index);
        if (subject.status.heldBy() != null) {
            subject.notCompared(
                    Finding.NOT_COMPARED, "it is attached to " + subject.status.heldBy());
        } else if (!COMPARABLE.contains(standing)) {
            boolean broken = standing == Standing.BROKEN;
            subject.notCompared(
                    broken ? Finding.BROKEN : Finding.NOT_COMPARED, subject.status.explanation());
        } else if (taken == null) {
            subject.notCompared(Finding.NOT_COMPARED, remotes.refusal(index));
        } else if (taken.imageSize() < set.poolSize()) {
            subject.notCompared(Finding.NOT_COMPARED, "it is smaller than the pool");
        } else {
            try {
                subject.notApplied = taken.notApplied();
                subject.sameCommits = standing == Standing.CURRENT;
                subject.copy = taken::sums;
            } catch (FarheapException e) {
                subject.notCompared(Finding.NOT_COMPARED, e.getMessage());
            }
        }
    }

    /** A local copy that can be opened; else whatever there is, free memory included. */
    private void chooseReference() {
        reference = null;
        for (int r : local.newest()) {
            Subject candidate = ofIndex(r);
            if (reference == null && candidate.copy != null) {
                reference = candidate;
            }
        }
        boolean knows = reference != null && reference.index == local.newest().get(0);
        meaningful = Meaningful.everything();
        if (knows && local.view() != null) {
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

    /** Where the reference is lost meanwhile another copy takes its place. */
    private void compare() {
        boolean lost;
        do {
            lost = false;
            chooseReference();
            if (reference != null) {
                try {
                    compareWithReference();
                } catch (Comparison.LostReferenceException e) {
                    reference.notCompared(Finding.NOT_COMPARED, e.getMessage());
                    lost = true;
                }
            }
        } while (lost);
        boolean alone = subjects.stream().noneMatch(subject -> subject.against != null);
        if (reference != null && alone && subjects.size() > 1) {
            boolean broken = reference.damage != null;
            reference.notCompared(
                    broken ? Finding.BROKEN : Finding.NOT_COMPARED,
                    broken ? reference.damage : "no other copy can be compared with it");
            reference = null;
        }
    }

    private void compareWithReference() {
        List<ComparedCopy> others = new ArrayList<>();
        for (Subject subject : subjects) {
            subject.against = null;
            if (subject.copy != null && subject != reference) {
                subject.against =
                        new ComparedCopy(subject.copy, subject.sameCommits, subject.notApplied);
                others.add(subject.against);
            }
        }
        long bytes = set.poolSize();
        try (Progress bar = work.begin("comparing", Math.max(1, others.size()) * bytes)) {
            new Comparison(reference.copy, meaningful, others, bar::advanced)
                    .run(bytes, work.pacer());
            bar.complete();
        }
        for (Subject subject : subjects) {
            if (subject.against != null && subject.against.isLost()) {
                subject.notCompared(Finding.NOT_COMPARED, subject.against.whyLost());
            }
        }
    }

    private VerifyResult judged(PoolStatus status) {
        boolean differ =
                subjects.stream().anyMatch(s -> s.against != null && s.against.placeCount() > 0);
        List<Judgement.Voter> voters = new ArrayList<>();
        for (Subject subject : subjects) {
            if (subject.copy != null && subject.sameCommits) {
                if (differ && subject.index >= 0 && subject.damage == null) {
                    subject.damage = local.inconsistency(subject.index);
                }
                Content content = subject == reference ? Content.SAME : subject.against.content();
                voters.add(new Judgement.Voter(subject.place(), content, subject.damage));
            }
        }
        Judgement judgement = Judgement.of(voters);
        subjects.forEach(subject -> conclude(subject, judgement, differ));
        VerifySummary conclusion =
                new VerifySummary(source.path(), set, subjects, judgement, differ);
        return result(
                status,
                reference == null ? 0 : set.poolSize(),
                conclusion.verdict(),
                conclusion.nextStep());
    }

    private void conclude(Subject subject, Judgement judgement, boolean differ) {
        if (subject.copy == null) {
            return;
        }
        int place = subject.place();
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
        ComparedCopy against = subject.against;
        boolean exact = against != null && subject.sameCommits;
        return new CopyResult(
                subject.place(),
                subject.status.host(),
                subject.status.name(),
                subject.finding,
                subject.explanation,
                subject == reference && subjects.size() > 1,
                exact ? against.placeCount() : null,
                exact ? against.bytes() : null,
                against != null && !exact ? against.pages() : null,
                exact && against.unsettledBytes() > 0 ? against.unsettledBytes() : null,
                exact ? places().of(subject) : null);
    }

    private DifferencePlaces places() {
        return new DifferencePlaces(set, reference.index < 0 ? null : local.image(reference.index));
    }

    @Override
    public void close() {
        try {
            remotes.close();
        } finally {
            if (local != null) {
                local.close();
            }
        }
    }
}
