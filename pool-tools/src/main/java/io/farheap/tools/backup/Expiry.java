package io.farheap.tools.backup;

import io.farheap.base.FarheapException;
import io.farheap.layout.PoolUuid;
import io.farheap.tools.command.LongWork;
import io.farheap.tools.report.Output;
import io.farheap.tools.report.Tone;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** What {@code --keep} does. The backup that was made is there by now, whatever goes wrong here. */
final class Expiry {
    private final BackupRun run;
    private final int keep;
    private final Output output;
    private final LongWork work;
    private final Path directory;
    private final Set<Path> verified;
    private boolean damaged;
    private String obstacle;

    /**
     * @param run that has made it
     * @param keep how many at least
     * @param work how fast what stays is read
     */
    Expiry(BackupRun run, int keep, Output output, LongWork work) {
        this.run = run;
        this.keep = keep;
        this.output = output;
        this.work = work;
        this.directory = run.place().directory();
        this.verified = new HashSet<>(run.base().verified());
    }

    /** Whether something was found damaged that is to stay. */
    boolean isDamaged() {
        return damaged;
    }

    /** Why nothing was removed; null: something was, or there was nothing to remove. */
    String obstacle() {
        return obstacle;
    }

    /**
     * Removes what is too old.
     *
     * @return what was removed
     */
    List<Path> run() throws InterruptedException {
        PoolUuid pool;
        try (BackupFile made = BackupFile.open(run.place().file())) {
            pool = made.header().ofPool().poolsetUuid();
        } catch (FarheapException e) {
            return nothing(gone().orElseThrow(() -> e));
        }
        Predicate<BackupHeader> ofPool = header -> header.ofPool().poolsetUuid().equals(pool);
        StoredBackups stored = StoredBackups.in(directory);
        stored.others().forEach(wrong -> output.say("left as it is: " + wrong));
        Optional<String> why = Optional.empty();
        while (why.isEmpty()) {
            Retention retention = retention(stored, ofPool);
            why = obstacle(stored, retention).or(() -> unread(retention));
            if (why.isEmpty()) {
                if (retention.isEmpty()) {
                    return List.of();
                }
                try (BackupsLock alone = BackupsLock.take(directory)) {
                    // Another one may have put its own there, or begun one, since all was read.
                    stored = StoredBackups.in(directory);
                    Retention now = retention(stored, ofPool);
                    if (obstacle(stored, now).isEmpty() && now.needsOnly(verified)) {
                        List<Path> removed = now.remove();
                        removed.forEach(file -> output.say("removed " + file));
                        return removed;
                    }
                }
            }
        }
        return nothing(why.get());
    }

    private List<Path> nothing(String why) {
        obstacle = why;
        output.say(output.toned(Tone.BAD, "nothing was removed") + ": " + why);
        return List.of();
    }

    /** No lock was held since it was made: another one may count it among the old ones. */
    private Optional<String> gone() {
        Path made = run.place().file();
        return Files.exists(made, LinkOption.NOFOLLOW_LINKS)
                ? Optional.empty()
                : Optional.of(
                        made
                                + ", which was just made, is gone: another --keep has removed it"
                                + " already, if it kept newer ones; farheap backup --list "
                                + directory
                                + " shows what is there");
    }

    private Retention retention(StoredBackups stored, Predicate<BackupHeader> ofPool) {
        return new Retention(stored, keep, run.place().file(), ofPool);
    }

    /** Why nothing may be removed; empty: it may. */
    private Optional<String> obstacle(StoredBackups stored, Retention retention) {
        Path made = run.place().file();
        if (stored.complete().stream().noneMatch(one -> one.path().equals(made))) {
            String unusable =
                    "the one that was just made can't be restored: "
                            + String.join("; ", stored.others())
                            + "; make another one, a full one";
            return gone().or(() -> Optional.of(unusable));
        }
        if (retention.isEmpty()) {
            return Optional.empty();
        }
        if (run.base().damaged()) {
            return Optional.of(run.base().damage());
        }
        return retention.doubt();
    }

    private Optional<String> unread(Retention retention) {
        if (retention.isEmpty()) {
            return Optional.empty();
        }
        try {
            retention.verify(work, verified);
            return Optional.empty();
        } catch (FarheapException e) {
            damaged = true;
            return Optional.of("of those that are to stay " + e.getMessage());
        }
    }
}
