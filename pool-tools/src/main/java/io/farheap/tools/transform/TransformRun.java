package io.farheap.tools.transform;

import io.farheap.base.FarheapException;
import io.farheap.layout.PoolUuid;
import io.farheap.memory.NativeFile;
import io.farheap.pool.NewReplicas;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.PoolSource;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.PoolSetParser;
import io.farheap.tools.command.LongWork;
import io.farheap.tools.destruction.Destruction;
import io.farheap.tools.survey.CopyState;
import io.farheap.tools.survey.Survey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * One transformation: look, plan and do. New remote replicas come first, then the local change,
 * then remote replicas go: whatever it is cut in, there are as many good copies as before, and the
 * same command goes on.
 */
final class TransformRun {
    private final Path source;
    private final Path target;
    private final LongWork work;
    private final PoolChange change;
    private final LocalOutcome outcome;
    private final ChangeMade changed;
    private final SwitchNote begun;
    private final List<String> plan = new ArrayList<>();
    private final List<String> staying = new ArrayList<>();

    private LocalTransformation local;
    private RemoteTransformation remote;
    private PoolInspection now;
    private int current;
    private boolean resumed;

    /**
     * @param work how fast it goes
     */
    TransformRun(Path source, Path target, LongWork work) throws IOException {
        this.work = work;
        this.source = source.toAbsolutePath();
        this.target = target.toAbsolutePath();
        this.change = PoolChange.between(poolSet(source), poolSet(target));
        this.outcome = new LocalOutcome(change);
        boolean hasRemotes = !change.attached().isEmpty() || !change.detached().isEmpty();
        this.changed = new ChangeMade(this.source, this.target, hasRemotes);
        this.begun = SwitchNote.read(this.target);
    }

    private static PoolSet poolSet(Path file) throws IOException {
        PoolSource found = PoolSource.of(file);
        if (found.isPoolSet()) {
            PoolChange.requireFiles(PoolSetParser.parse(file));
        }
        return found.existing();
    }

    /**
     * Finds out what is to be done; changes nothing.
     *
     * @param say is told what is waited for
     */
    List<String> plan(Consumer<String> say) throws InterruptedException {
        if (begun != null) {
            requireSamePoolsets();
        }
        resumed = begun != null && !LocalOutcome.isWhole(change.from());
        boolean reached = !resumed && outcome.isReached();
        if (resumed || reached) {
            now = PoolInspection.of(change.to());
            current = now.firstHealthy();
            if (resumed) {
                plan.add("finish the change of the local replicas, which was cut");
            }
        } else {
            LocalState state = LocalState.look(source, change);
            now = state.found();
            current = state.newest();
            local = new LocalTransformation(state);
            if (local.isNeeded()) {
                local.requireRoom();
            }
            planLocal(state);
        }
        long number = current < 0 ? begun.runId() : now.replicas().get(current).get(0).runId();
        PoolUuid pool = now.anyHeader() == null ? PoolUuid.ZERO : now.anyHeader().poolsetUuid();
        remote = new RemoteTransformation(change, pool, number, reached, target);
        remote.look(say);
        if (reached) {
            requireSamePool();
            if (!change.detached().isEmpty()) {
                LocalState.requireSoundContent(target, now);
            }
        }
        if (!resumed) {
            plan.addAll(0, remote.attachSteps(say));
        }
        plan.addAll(remote.removeSteps());
        return plan;
    }

    private void requireSamePoolsets() {
        if (!begun.source().equals(text(source)) || !begun.target().equals(text(target))) {
            throw FarheapException.wrongUse(
                    "a change of the pool was begun with other poolset files and not"
                            + " finished: give that command again with the same files (%s has their"
                            + " text)",
                    SwitchNote.beside(target));
        }
    }

    /** Files that are as TARGET says prove nothing, unless something of SOURCE is among them. */
    private void requireSamePool() {
        if (!outcome.hasFilesOfBoth() && !remote.isAnyOldOfPool()) {
            throw FarheapException.badData(
                    "source poolset is broken: %s; another pool is where %s says, or the"
                            + " same: if this change was made before, nothing is left to do",
                    PoolInspection.of(change.from()).lost().get(0).problem(), target);
        }
    }

    private static String text(Path file) {
        try {
            return PoolSource.of(file).isPoolSet()
                    ? Files.readString(file, StandardCharsets.ISO_8859_1)
                    : file.toString();
        } catch (IOException e) {
            throw FarheapException.environment(e, "cannot read %s: %s", file, e.getMessage());
        }
    }

    private void planLocal(LocalState state) {
        change.kept()
                .forEach(
                        (replica, old) -> staying.add(change.newName(replica) + " stays as it is"));
        for (int made : change.made()) {
            plan.add(
                    "make "
                            + change.newName(made)
                            + ": a copy of old "
                            + change.oldName(state.newest())
                            + ", compared with it");
        }
        if (local.links() > 0) {
            plan.add("write the new neighbours into " + local.links() + " headers that stay");
        }
        for (int dropped : change.dropped()) {
            plan.add(
                    outcome.isReplaced(dropped)
                            ? "replace the files of old " + change.oldName(dropped)
                            : "remove the files of old "
                                    + change.oldName(dropped)
                                    + " that are not used");
        }
    }

    /** How things are when the process ends before {@link #run} has. */
    String interrupted() {
        List<String> unfinished =
                LocalOutcome.paths(change.to()).stream()
                        .map(NewReplicas::unfinished)
                        .filter(Files::exists)
                        .map(Path::toString)
                        .toList();
        boolean switching = Files.exists(SwitchNote.beside(target));
        if (changed.isMade()) {
            return "the change is done here: " + changed.said();
        }
        return (switching
                        ? "the pool is between "
                                + source
                                + " and "
                                + target
                                + ", and nothing is lost"
                        : "no part of the pool was changed here")
                + "; give the same command again, which goes on"
                + (unfinished.isEmpty()
                        ? ""
                        : " (what was copied is in " + String.join(", ", unfinished) + ")");
    }

    /**
     * The copies that go for good: replicas that no new one takes the place of. Whoever gave the
     * command before it was cut has agreed to what becomes of the local ones.
     */
    void tell(Destruction destruction) {
        boolean fewer = local != null && change.made().size() < change.dropped().size();
        Set<Integer> remotes = remote.going();
        if (remotes.isEmpty() && (local == null || change.dropped().isEmpty())) {
            return;
        }
        Survey survey = remote.survey(now);
        CopyState copied = local == null ? null : survey.at(change.fromPlace(current));
        List<CopyState> gone = new ArrayList<>();
        remotes.forEach(place -> gone.add(survey.at(place)));
        for (int dropped : local == null ? List.<Integer>of() : change.dropped()) {
            CopyState copy = survey.at(change.fromPlace(dropped));
            if (fewer || !isCopied(survey, copied, copy)) {
                gone.add(copy);
            }
        }
        destruction.of(survey, gone, copy -> isCopied(survey, copied, copy), "is removed");
    }

    /** The new local replicas have what the one has that they are copied from. */
    private static boolean isCopied(Survey survey, CopyState copied, CopyState copy) {
        return copied != null && (copy.equals(copied) || survey.has(copied, copy));
    }

    /** What is not touched, a line for each local replica. */
    List<String> staying() {
        return staying;
    }

    /**
     * Does it.
     *
     * @param before told about each step that takes long
     * @return what became of each replica, as files and agents say that are asked again
     */
    List<ReplicaVerdict> run(Consumer<String> before) throws InterruptedException {
        if (resumed) {
            resume();
        } else {
            if (begun != null) {
                // The old pool is whole, and may have been used since: begun anew.
                new PoolsetSwitch(begun, change.to()).discard();
                SwitchNote.delete(target);
            }
            remote.attach(before, work);
            if (local != null && local.isNeeded()) {
                if (!change.attached().isEmpty()) {
                    local = new LocalTransformation(LocalState.look(source, change));
                }
                local.run(target, changed, work, text(source), text(target));
            }
        }
        List<ReplicaVerdict> verdicts = new ArrayList<>();
        changed.then(
                () -> {
                    verdicts.addAll(verifyLocal());
                    verdicts.addAll(remote.attached(number()));
                    verdicts.addAll(remote.remove());
                });
        return verdicts;
    }

    private void resume() {
        PoolsetSwitch switching = new PoolsetSwitch(begun, change.to());
        List<NativeFile> locks = new ArrayList<>();
        try {
            for (Path path : LocalOutcome.paths(change.from())) {
                lock(path, locks);
            }
            for (SwitchNote.Move move : begun.moves()) {
                lock(Path.of(move.from()), locks);
            }
            switching.run(changed);
            changed.then(() -> SwitchNote.delete(target));
        } finally {
            locks.forEach(NativeFile::close);
        }
    }

    private static void lock(Path path, List<NativeFile> locks) {
        if (Files.exists(path)) {
            NativeFile file = NativeFile.open(path);
            locks.add(file);
            file.lock();
        }
    }

    private long number() {
        return PoolInspection.of(change.to()).replicas().get(0).get(0).runId();
    }

    /** The pool opens as the new poolset file says, and what is to be gone is gone. */
    private List<ReplicaVerdict> verifyLocal() {
        PoolFiles.openPrivate(PoolSource.of(target), null).close();
        List<ReplicaVerdict> verdicts = new ArrayList<>();
        // Neither begun by this command nor by one that was cut: it was so before.
        boolean unchanged = local == null && !resumed;
        for (int r = 0; r < change.to().localReplicas().size(); r++) {
            boolean made = !unchanged && !change.kept().containsKey(r);
            verdicts.add(
                    new ReplicaVerdict(
                            change.newName(r),
                            made ? ReplicaVerdict.Kind.MADE : ReplicaVerdict.Kind.KEPT,
                            made
                                    ? "compared, and opens with the others"
                                    : "opens with the others"));
        }
        for (Path path : outcome.oldLeft()) {
            verdicts.add(
                    new ReplicaVerdict(
                            path.toString(),
                            ReplicaVerdict.Kind.LEFT,
                            "another file by now than the one that was to go"));
        }
        for (int dropped : change.dropped()) {
            if (outcome.isReplaced(dropped)) {
                continue; // what lies there is said of the new one
            }
            verdicts.add(
                    new ReplicaVerdict(
                            "old " + change.oldName(dropped),
                            unchanged ? ReplicaVerdict.Kind.ABSENT : ReplicaVerdict.Kind.REMOVED,
                            unchanged
                                    ? "it was no part of the pool before"
                                    : "it is no part of the pool any more"));
        }
        return verdicts;
    }
}
