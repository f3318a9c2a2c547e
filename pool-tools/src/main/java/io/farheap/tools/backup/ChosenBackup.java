package io.farheap.tools.backup;

import io.farheap.base.FarheapException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which backup is restored: the one that is named, or a directory's newest, or one by its commit.
 */
final class ChosenBackup {
    private final Path named;
    private final Path pool;

    /**
     * @param named as the user has named it
     * @param pool that is to be made, for what to type
     */
    ChosenBackup(Path named, Path pool) {
        this.named = named;
        this.pool = pool;
    }

    /**
     * @param commit the number of the last commit that it has; null: the newest
     * @param say is told which, where a directory was named
     * @throws FarheapException WRONG_USE where the name does not tell which it is; BAD_DATA where
     *     damage may hide a newer one
     */
    Path path(Long commit, Consumer<String> say) {
        Path absolute = named.toAbsolutePath();
        if (!Files.isDirectory(absolute)) {
            if (commit != null) {
                throw FarheapException.wrongUse(
                        "--commit picks a backup of a directory, and %s is none", named);
            }
            return absolute;
        }
        StoredBackups stored = StoredBackups.in(absolute);
        requireOnePool(stored);
        Path chosen = commit == null ? newest(stored) : withCommit(stored, commit);
        say.accept((commit == null ? "the newest is " : "commit " + commit + " is ") + chosen);
        return chosen;
    }

    private void requireOnePool(StoredBackups stored) {
        if (stored.complete().isEmpty()) {
            throw FarheapException.badData(
                    "%s has no backup that is complete%s",
                    named, stored.others().isEmpty() ? "" : ": " + wrong(stored));
        }
        BackupHeader first = stored.complete().get(0).header();
        boolean ofOne =
                stored.complete().stream()
                        .allMatch(one -> BackupChain.isOfOnePool(one.header(), first));
        if (!ofOne) {
            throw FarheapException.wrongUse(
                    "%s has backups of several pools: name the one to be restored", named);
        }
    }

    private static String wrong(StoredBackups stored) {
        return String.join("; ", stored.others());
    }

    private Path newest(StoredBackups stored) {
        StoredBackups.Stored newest = stored.newest(header -> true).orElseThrow();
        if (!stored.others().isEmpty()) {
            throw FarheapException.badData(
                    "%s: %d of its files can't be restored, and may be newer than the newest that"
                            + " can (%s); nothing was made; to restore that one, name it: %s; what"
                            + " is wrong with the others: %s",
                    named,
                    stored.others().size(),
                    newest.header().point(),
                    command(newest),
                    wrong(stored));
        }
        stored.doubt(header -> true)
                .ifPresent(
                        doubt -> {
                            throw undecided(doubt, newest);
                        });
        return newest.path();
    }

    /** The newest may go on from either of the two, and lack what the other has. */
    private FarheapException undecided(StoredBackups.Doubt doubt, StoredBackups.Stored newest) {
        boolean another = !doubt.both().contains(newest);
        return FarheapException.wrongUse(
                "%s: %s%s; nothing was made; name the one to be restored: %s",
                named,
                doubt.why(),
                another
                        ? "; the newest by number and time is "
                                + nameAndPoint(newest)
                                + ", and nothing tells from which of them it goes on"
                        : "",
                Stream.concat(Stream.of(newest), doubt.both().stream())
                        .distinct()
                        .map(this::command)
                        .collect(Collectors.joining(", or: ")));
    }

    private String command(StoredBackups.Stored stored) {
        return "farheap restore " + stored.path() + " " + pool;
    }

    private Path withCommit(StoredBackups stored, long commit) {
        List<StoredBackups.Stored> open =
                stored.complete().stream()
                        .filter(one -> one.header().state() == BackupHeader.State.OPEN)
                        .toList();
        List<StoredBackups.Stored> found =
                open.stream().filter(one -> one.header().commits() == commit).toList();
        if (found.isEmpty()) {
            String none =
                    named
                            + " has no backup that was made at commit "
                            + commit
                            + ": nothing was made; "
                            + neighbours(open, commit);
            if (!stored.others().isEmpty()) {
                throw FarheapException.badData(
                        "%s; %d of its files can't be restored, and may be of that commit or"
                                + " nearer: %s",
                        none, stored.others().size(), wrong(stored));
            }
            throw FarheapException.wrongUse("%s", none);
        }
        if (found.size() > 1) {
            throw FarheapException.wrongUse(
                    "%s has %s backups that were made at a commit %s: nothing was made; name one: %s",
                    named,
                    found.size(),
                    commit,
                    found.stream()
                            .map(one -> command(one) + " (" + one.header().point() + ")")
                            .collect(Collectors.joining(", or: ")));
        }
        if (!stored.others().isEmpty()) {
            throw FarheapException.badData(
                    "%s: commit %s is %s, and %d of its files can't be restored, and may be of a"
                            + " commit %s, too, of another run; nothing was made; to restore the"
                            + " one that can, name it: %s; what is wrong with the others: %s",
                    named,
                    commit,
                    nameAndPoint(found.get(0)),
                    stored.others().size(),
                    commit,
                    command(found.get(0)),
                    wrong(stored));
        }
        return found.get(0).path();
    }

    private String neighbours(List<StoredBackups.Stored> open, long commit) {
        Comparator<StoredBackups.Stored> byCommit =
                Comparator.comparingLong(one -> one.header().commits());
        Optional<StoredBackups.Stored> before =
                open.stream().filter(one -> one.header().commits() < commit).max(byCommit);
        Optional<StoredBackups.Stored> after =
                open.stream().filter(one -> one.header().commits() > commit).min(byCommit);
        if (before.isEmpty() && after.isEmpty()) {
            return "none of them was made of an open pool, which has commits with numbers: farheap"
                    + " backup --list "
                    + named;
        }
        return before.map(one -> "the last one before it: " + nameAndPoint(one))
                        .orElse("none before it")
                + "; "
                + after.map(one -> "the first one after it: " + nameAndPoint(one))
                        .orElse("none after it")
                + "; name one of them";
    }

    private static String nameAndPoint(StoredBackups.Stored one) {
        return one.path() + " (" + one.header().point() + ")";
    }
}
