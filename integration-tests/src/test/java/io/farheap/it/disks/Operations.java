package io.farheap.it.disks;

import static org.awaitility.Awaitility.await;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import io.farheap.base.ReplicaStatus.State;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.awaitility.core.ConditionTimeoutException;

/** All that is done to a pool with a replica. */
final class Operations {
    private static final Duration BACK = Duration.ofSeconds(2);

    private final DiskFailures site;
    private final Path set;
    private final Path before;
    private final Path after;

    Operations(DiskFailures site) {
        this.site = site;
        this.set = site.set();
        this.before = site.here().resolve("pool.set");
        this.after = site.here().resolve("after.set");
    }

    List<Operation> all() throws IOException, InterruptedException {
        Map<Path, byte[]> sets = site.poolsets("fail");
        Map<Path, byte[]> used = site.after(sets, this::create);
        Map<Path, byte[]> degrading = with(used, "pool.set.replication", "policy = degrade\n");
        Map<Path, byte[]> absent = site.after(degrading, this::commitAlone);
        Map<Path, byte[]> killed = killed(used);
        Consumer<ObjectPool> one = Content::commit;
        Consumer<ObjectPool> much = Content::commitALot;
        Operation.Judge whole = DiskFailures::requireWhole;
        return List.of(
                new Operation("create", sets, sets, this::create, false, one, this::created),
                new Operation("open", used, used, this::open, false, one, whole),
                new Operation("open after a kill", killed, killed, this::open, false, one, whole),
                new Operation("commit", used, used, t -> commit(t, one), true, one, whole),
                new Operation("long commit", used, used, t -> commit(t, much), true, much, whole),
                new Operation("close", used, used, this::close, false, one, whole),
                new Operation("scrub", used, used, this::scrub, false, one, whole),
                new Operation("return", absent, absent, this::open, false, one, whole),
                new Operation("dirty map", absent, absent, this::commitAlone, true, one, whole),
                new Operation(
                        "first dirty map",
                        degrading,
                        degrading,
                        this::commitAlone,
                        true,
                        one,
                        whole),
                new Operation("loss", degrading, degrading, this::lose, true, one, whole),
                new Operation(
                        "sync of the pool",
                        without(used, site.here().resolve("a")),
                        used,
                        t -> say(t, "sync", set.toString()),
                        false,
                        one,
                        whole),
                new Operation(
                        "sync of the replica",
                        without(used, site.there().resolve("copy.part0")),
                        used,
                        t -> say(t, "sync", set.toString()),
                        false,
                        one,
                        whole),
                new Operation(
                        "transform, one more",
                        with(
                                used,
                                "after.set",
                                lines("8M @/a\nREPLICA\n8M @/b\nREPLICA there copy.set\n")),
                        used,
                        t -> say(t, "transform", before.toString(), after.toString()),
                        false,
                        one,
                        this::transformed),
                new Operation(
                        "transform, moved",
                        with(used, "after.set", lines("8M @/b\nREPLICA there copy.set\n")),
                        used,
                        t -> say(t, "transform", before.toString(), after.toString()),
                        false,
                        one,
                        this::transformed),
                new Operation("promote", used, used, this::promote, false, one, this::promoted),
                new Operation("rm", used, used, this::remove, false, one, this::removed));
    }

    private String lines(String text) {
        return "PMEMPOOLSET\n" + text.replace("@", site.here().toString());
    }

    private Map<Path, byte[]> with(Map<Path, byte[]> files, String name, String text) {
        Map<Path, byte[]> more = new TreeMap<>(files);
        more.put(site.here().resolve(name), text.getBytes(StandardCharsets.US_ASCII));
        return more;
    }

    private static Map<Path, byte[]> without(Map<Path, byte[]> files, Path file) {
        Map<Path, byte[]> fewer = new TreeMap<>(files);
        byte[] unused = fewer.remove(file);
        return fewer;
    }

    /** The files as they are while a program is at work that has committed once more. */
    private Map<Path, byte[]> killed(Map<Path, byte[]> used) throws InterruptedException {
        Map<Path, byte[]> files = new TreeMap<>();
        Map<Path, byte[]> unused =
                site.after(
                        used,
                        () -> {
                            try (ObjectPool pool = ObjectPool.open(set, "")) {
                                Content.commit(pool);
                                files.putAll(site.now());
                            }
                        });
        return unused.isEmpty() ? unused : files;
    }

    private void create() {
        try (ObjectPool pool = ObjectPool.create(set, "")) {
            Content.commit(pool);
            Content.commitALot(pool);
        }
    }

    private void create(Trial trial) {
        trial.arm();
        boolean unused = trial.attempt(() -> trial.open(ObjectPool.create(set, "")));
    }

    private void open(Trial trial) {
        trial.arm();
        boolean unused = trial.attempt(() -> trial.open(ObjectPool.open(set, "")));
        if (trial.pool() != null) {
            unused = trial.tolerated(() -> awaitAttached(trial.pool()));
        }
    }

    private void commit(Trial trial, Consumer<ObjectPool> commits) {
        trial.open(ObjectPool.open(set, ""));
        trial.arm();
        boolean done = trial.attempt(() -> commits.accept(trial.pool()));
        if (!done && trial.then() == Trial.Then.GOES_ON) {
            boolean unused = trial.attempt(() -> commits.accept(trial.pool()));
        }
    }

    private void close(Trial trial) {
        ObjectPool pool = ObjectPool.open(set, "");
        trial.open(pool);
        trial.arm();
        boolean unused = trial.attempt(pool::close);
    }

    private void scrub(Trial trial) {
        trial.open(ObjectPool.open(set, ""));
        trial.arm();
        boolean unused = trial.attempt(() -> requireEqual(trial.pool()));
    }

    private static void requireEqual(ObjectPool pool) {
        if (!pool.scrub().differences().isEmpty()) {
            throw new IllegalStateException("differences: " + pool.scrub().differences());
        }
    }

    private void commitAlone() {
        site.agents().setReachable(false);
        try (ObjectPool pool = ObjectPool.open(set, "")) {
            Content.commit(pool);
        } finally {
            site.agents().setReachable(true);
        }
    }

    private void commitAlone(Trial trial) {
        site.agents().setReachable(false);
        trial.arm();
        boolean opened = trial.tolerated(() -> trial.open(ObjectPool.open(set, "")));
        if (opened) {
            boolean unused = trial.attempt(() -> Content.commit(trial.pool()));
        }
    }

    /** It goes on alone, and the replica comes back. */
    private void lose(Trial trial) {
        ObjectPool pool = ObjectPool.open(set, "");
        trial.open(pool);
        trial.arm();
        site.agents().setReachable(false);
        site.agents().cutOff();
        boolean unused = trial.attempt(() -> Content.commit(pool));
        site.agents().setReachable(true);
        unused = trial.tolerated(() -> awaitAttached(pool));
    }

    private static void awaitAttached(ObjectPool pool) {
        try {
            await().pollInSameThread()
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(5))
                    .atMost(BACK)
                    .until(
                            () ->
                                    pool.replicas().stream()
                                            .allMatch(one -> one.state() == State.ATTACHED));
        } catch (ConditionTimeoutException e) {
            // a disk may have failed for good: the next operation tells
        }
    }

    private static void say(Trial trial, String... words) {
        trial.arm();
        boolean unused = trial.attempt(() -> require(trial, trial.sayAgreeing(words)));
    }

    private static void require(Trial trial, boolean succeeded) {
        if (!succeeded) {
            throw new FarheapException(FarheapException.Category.ENVIRONMENT, trial.lastError());
        }
    }

    private void promote(Trial trial) {
        say(trial, "promote", site.there().resolve("copy.set").toString());
    }

    private void remove(Trial trial) {
        say(trial, "rm", "--yes", set.toString());
    }

    // ---- what is left ----

    private void created(DiskFailures unused, Trial trial, List<Content> allowed)
            throws InterruptedException, IOException {
        if (trial.done() > 0) {
            site.requireWhole(trial, allowed);
            return;
        }
        boolean opens = false;
        try (ObjectPool pool = ObjectPool.open(set, "")) {
            opens = true;
            if (!allowed.contains(Content.of(pool))) {
                trial.wrong().add("what was not created has " + Content.of(pool));
            }
        } catch (FarheapException e) {
            String left = site.now().keySet().toString();
            if (!trial.tolerated(() -> ObjectPool.create(set, "").close())) {
                String again = trial.lastError();
                if (!trial.sayAgreeing("create", "-f", "--yes", set.toString())) {
                    trial.wrong()
                            .add(
                                    "can't be created again, of %s: %s; %s; %s"
                                            .formatted(left, e, again, trial.lastError()));
                }
            }
        }
        if (opens && trial.then() == Trial.Then.GOES_ON) {
            trial.wrong().add("what failed is there");
        }
    }

    private void transformed(DiskFailures unused, Trial trial, List<Content> allowed)
            throws InterruptedException, IOException {
        for (int i = 0; i < 2; i++) {
            boolean more = trial.say("transform", before.toString(), after.toString());
            if (more) {
                break;
            }
            if (i == 1 || trial.lastError().contains("nothing is left")) {
                if (!trial.lastError().contains("nothing is left")) {
                    trial.wrong().add("no second transformation: " + trial.lastError());
                }
                break;
            }
        }
        trial.wrong().removeIf(fault -> fault.contains("nothing is left"));
        byte[] text = Files.readAllBytes(after);
        var unusedPath = Files.write(set, text);
        site.requireWhole(trial, allowed);
    }

    private void promoted(DiskFailures unused, Trial trial, List<Content> allowed) {
        String copy = site.there().resolve("copy.set").toString();
        if (trial.done() == 0 && !trial.say("promote", copy)) {
            trial.wrong().add("can't be promoted again: " + trial.lastError());
        }
        try (ObjectPool pool = ObjectPool.open(Path.of(copy), "")) {
            if (!allowed.contains(Content.of(pool))) {
                trial.wrong().add("promoted: " + Content.of(pool) + ", not one of " + allowed);
            }
        }
    }

    private void removed(DiskFailures unused, Trial trial, List<Content> allowed) {
        if (trial.done() == 0) {
            boolean again = trial.sayAgreeing("rm", "-f", "--yes", set.toString());
            if (!again) {
                trial.wrong().add("can't be removed again: " + trial.lastError());
            }
        }
        if (!DiskFailures.isGone(
                site.here().resolve("a"),
                site.there().resolve("copy.part0"),
                site.there().resolve("copy.part0.journal"))) {
            try {
                trial.wrong().add("is left: " + site.now().keySet());
            } catch (UncheckedIOException e) {
                trial.wrong().add(e.toString());
            }
        }
    }
}
