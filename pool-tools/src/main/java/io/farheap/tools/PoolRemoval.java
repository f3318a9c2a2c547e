package io.farheap.tools;

import io.farheap.agent.Promotion;
import io.farheap.base.FarheapException;
import io.farheap.layout.PoolHeader;
import io.farheap.memory.NativeFile;
import io.farheap.pool.FileStatus;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.PoolSource;
import io.farheap.pool.SideFiles;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.PoolSetParser;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.tools.destruction.Destruction;
import io.farheap.tools.survey.CopyState;
import io.farheap.tools.survey.NextStep;
import io.farheap.tools.survey.Survey;
import io.farheap.tools.survey.TargetAnswer;
import io.farheap.tools.survey.Targets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** The removal of one pool: first everything is locked, then it goes. */
final class PoolRemoval implements AutoCloseable {
    private final List<NativeFile> locked = new ArrayList<>();
    private final List<Path> absent = new ArrayList<>();
    private final List<RemoteRemoval> remotes = new ArrayList<>();
    private final List<TargetAnswer> left = new ArrayList<>();
    private final Path file;
    private Path setFile;
    private Survey survey;

    private PoolRemoval(Path file) {
        this.file = file;
    }

    /** What the user named. */
    Path file() {
        return file;
    }

    /**
     * Locks the pool's files here, and sees that its remote replicas are free.
     *
     * @param force whether missing files and targets are passed over
     * @throws FarheapException when a file is missing, in use or no pool
     */
    static PoolRemoval prepare(Path file, boolean force, boolean localSet, boolean remoteSets)
            throws IOException {
        PoolRemoval removal = new PoolRemoval(file);
        try {
            FileStatus found = FileStatus.of(file);
            if (!found.exists()) {
                removal.missing(file, force);
            } else if (found.isRegular() && PoolSetParser.isPoolSet(file)) {
                PoolSet set = PoolSetParser.parse(file);
                if (set.isDirectorySet()) {
                    removal.lockDirectories(PoolSource.of(file), force);
                } else {
                    for (LocalReplica replica : set.localReplicas()) {
                        removal.lockParts(file, replica, force);
                    }
                }
                if (!set.isDirectorySet() || !removal.locked.isEmpty()) {
                    removal.look(force, remoteSets);
                } else if (!set.remoteReplicas().isEmpty()) {
                    throw FarheapException.replica(
                            "%s has no part left here, so its remote replicas %s can't be looked"
                                    + " at: nothing was removed, and the file stays, as it names them;"
                                    + " farheap status of the poolset on each target shows what it holds",
                            file, set.remoteReplicas());
                }
                removal.setFile = localSet && removal.left.isEmpty() ? file : null;
            } else {
                requirePool(file);
                removal.lock(file);
                removal.look(force, false);
            }
            return removal;
        } catch (IOException | RuntimeException e) {
            removal.close();
            throw e;
        }
    }

    /** What each copy holds, and which remote ones go. */
    private void look(boolean force, boolean poolsetFiles) {
        PoolSource source = PoolSource.of(file);
        PoolSet set = source.existing();
        ReplicationSettings settings = ReplicationSettings.of(source.path());
        List<TargetAnswer> answers =
                Targets.ask(
                        set,
                        settings,
                        settings.attachTimeout().multipliedBy(2),
                        (place, index, client) -> client.inspect());
        PoolInspection found = PoolInspection.passing(set);
        survey = Survey.of(found, answers);
        PoolHeader header = found.anyHeader();
        answers.stream().filter(RemoteRemoval::isLeft).forEach(left::add);
        remotes.addAll(
                RemoteRemoval.prepare(
                        answers,
                        header == null ? null : header.poolsetUuid(),
                        settings,
                        force,
                        poolsetFiles && left.isEmpty()));
    }

    /**
     * A sentence for each replica that is left, as its target was not reached or does not show it.
     * Poolset files stay then, as the one here alone names them, and is looked up on all targets.
     *
     * @param poolsetFiles whether those on the targets were to go, too
     */
    List<String> left(boolean poolsetFiles) {
        String command = new NextStep(file).remove(poolsetFiles);
        return left.stream()
                .map(
                        answer ->
                                answer.name()
                                        + " is left, nothing of it was removed: "
                                        + answer.why()
                                        + "; once its target shows it: "
                                        + command
                                        + (answer.lacksPoolset() ? byHand() : ""))
                .toList();
    }

    private String byHand() {
        return "; if its poolset was removed there, look for the replica's part files on the target"
                + " first: nothing names them any more; the system's rm removes "
                + file;
    }

    /**
     * Requires that no replica will be left.
     *
     * @throws FarheapException category REPLICA where one will
     */
    void requireNoneLeft() {
        if (!left.isEmpty()) {
            TargetAnswer first = left.get(0);
            throw FarheapException.replica(
                    "%s: %s; nothing was changed", first.name(), first.why());
        }
    }

    /** The copies that go. */
    void tell(Destruction destruction) {
        if (survey == null) {
            return; // nothing is there
        }
        boolean stays =
                !locked.isEmpty()
                        && locked.stream().allMatch(part -> Files.isSymbolicLink(part.path()));
        if (stays && remotes.isEmpty()) {
            List<CopyState> named =
                    survey.copies().stream().filter(copy -> copy.host().isEmpty()).toList();
            destruction.of(survey, named, copy -> true, "stays: only a link to it goes");
            return;
        }
        List<CopyState> gone =
                survey.copies().stream()
                        .filter(copy -> copy.host().isEmpty() ? !stays : isGoing(copy.place()))
                        .toList();
        destruction.of(survey, gone, "is removed");
    }

    private boolean isGoing(int place) {
        return remotes.stream().anyMatch(remote -> remote.place() == place);
    }

    /** All part files in the directories, those included that growth did not finish. */
    private void lockDirectories(PoolSource source, boolean force) throws IOException {
        List<Path> parts = source.filesInDirectories();
        if (parts.isEmpty()) {
            missing(source.path().resolveSibling("000000.pmem"), force);
        }
        for (Path part : parts) {
            lock(part);
        }
    }

    private void lockParts(Path set, LocalReplica replica, boolean force) throws IOException {
        for (Part part : replica.parts()) {
            if (part.kind() != Part.Kind.FILE) {
                throw FarheapException.wrongUse(
                        "%s is a device, which rm leaves as it is; nothing was removed",
                        part.path());
            }
            if (FileStatus.of(part.path()).exists()) {
                PartRemains.require(set, part);
                lock(part.path());
            } else {
                missing(part.path(), force);
            }
        }
    }

    private void lock(Path file) throws IOException {
        NativeFile opened = NativeFile.open(file);
        locked.add(opened);
        opened.lock();
        OtherNames names = OtherNames.of(file);
        if (names.isAny() && names.isMarked()) {
            throw FarheapException.badData(
                    "%s is one name of a file that stays, and the pool was not closed: its newest"
                            + " commits are in its disk journal; first: farheap recover %s; nothing"
                            + " was removed; the system's rm removes a name alone",
                    file, this.file);
        }
    }

    private void missing(Path file, boolean force) {
        absent.add(file);
        if (!force) {
            throw FarheapException.environment(
                    "cannot remove file '%s': No such file or directory; -f passes over"
                            + " what is missing",
                    file);
        }
    }

    /** A plain file must say that it is a pool, or a slip of the hand removes anything. */
    private static void requirePool(Path file) throws IOException {
        PoolSource.of(file).requireFile();
        if (!PoolHeaders.read(file).signature().equals(PoolHeader.SIGNATURE)) {
            throw FarheapException.badData(
                    "%s is neither a pool nor a poolset file: nothing was removed; if it"
                            + " is not wanted, the system's rm removes it",
                    file);
        }
    }

    /**
     * Removes it.
     *
     * @param removed is told of each file here, and of each replica elsewhere, that went
     * @param left is told of each file that a symbolic link led to: the link goes, as with rm; and
     *     of what beside the link may be that file's
     */
    void remove(Consumer<Object> removed, BiConsumer<Path, String> left) throws IOException {
        for (RemoteRemoval remote : remotes) {
            remote.remove();
            removed.accept(remote);
        }
        Set<Path> directories = new TreeSet<>();
        for (NativeFile file : locked) {
            SideFiles side = new SideFiles(file.path());
            for (Path map : side.dirtyMaps()) {
                delete(map, directories, removed);
            }
            // The file that a link leads to stays, and what lies beside it with it.
            for (Path beside : List.of(side.status(), side.terms().getLast())) {
                if (Files.exists(beside)) { // of a program that was killed, or of fail-over
                    delete(beside, directories, removed);
                }
            }
            List<Path> remains = Promotion.remains(file.path());
            if (Files.isSymbolicLink(file.path())) {
                removeLink(file.path(), side, directories, removed, left);
            } else {
                removeDiskJournal(side, directories, removed);
                delete(file.path(), directories, removed);
            }
            for (Path remain : remains) {
                Promotion.delete(remain);
                removed.accept(remain);
                directories.add(remain.toAbsolutePath().getParent());
            }
        }
        if (!locked.isEmpty()) { // else nobody was asked about what it may have
            for (Path file : absent) {
                removeDiskJournal(new SideFiles(file), directories, removed);
            }
        }
        if (setFile != null) {
            delete(setFile, directories, removed);
        }
        directories.forEach(NativeFile::syncDirectory);
    }

    /**
     * What it leads to stays, with its disk journal. One beside the link may be that of a file that
     * the link led to before.
     */
    private static void removeLink(
            Path link,
            SideFiles side,
            Set<Path> directories,
            Consumer<Object> removed,
            BiConsumer<Path, String> left)
            throws IOException {
        Path content = link.toRealPath();
        OtherNames names = OtherNames.of(link);
        List<Path> besideLink = side.diskJournals().subList(1, 2);
        delete(link, directories, removed);
        left.accept(content, "only a symbolic link to it is gone");
        for (Path journal : besideLink) {
            if (names.isOfNoUse(journal)) {
                delete(journal, directories, removed);
            } else if (Files.exists(journal, LinkOption.NOFOLLOW_LINKS)) {
                left.accept(
                        journal,
                        "it may have the newest commits of a pool that the link led to before, or"
                                + " of "
                                + content);
            }
        }
    }

    private static void removeDiskJournal(
            SideFiles side, Set<Path> directories, Consumer<Object> removed) {
        for (Path journal : List.of(side.diskJournal(), side.unfinishedDiskJournal())) {
            if (Files.exists(journal)) {
                delete(journal, directories, removed);
            }
        }
    }

    private static void delete(Path file, Set<Path> directories, Consumer<Object> removed) {
        if (!NativeFile.delete(file)) {
            throw FarheapException.environment(
                    "%s is gone, somebody else removed it: see what is left, farheap status", file);
        }
        removed.accept(file);
        directories.add(file.toAbsolutePath().getParent());
    }

    @Override
    public void close() {
        locked.forEach(NativeFile::close);
    }
}
