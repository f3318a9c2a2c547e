package io.farheap.it.disks;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import io.farheap.it.support.Agreement;
import io.farheap.it.system.ReplicaCopy;
import io.farheap.layout.Descriptor;
import io.farheap.replication.journal.ReplicaSlot;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.testing.FailingCalls;
import io.farheap.testing.LosingDisk;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A pool with a replica, and the agent of that in the same process: {@code ROOT EVERY [NAME...]}.
 * Each system call of each operation fails, with every error, on the pool's machine and on the
 * target; then the machine goes on, its disk stays away, or it loses its power. Afterwards nothing
 * that was acknowledged is lost, no copy claims what it lacks, and the printed next step leads back
 * to a pool with its replica. Prints what was tried, and {@code WRONG} for each fault.
 */
final class DiskFailures {
    private static final long SEED = 20261123;
    private static final int MOST_STEPS = 5;
    private static final int[] ERRORS = {
        FailingCalls.EIO, FailingCalls.ENOSPC, FailingCalls.EINTR, FailingCalls.SHORT
    };
    private static final Pattern STEP =
            Pattern.compile(
                    "farheap ((?:sync|rm|create|transform)(?: -\\S+| \"[^\"]+\")* /[^ ;:,)]+)");
    private static final Pattern WORD = Pattern.compile("\"[^\"]*\"|\\S+");

    private final Path root;
    private final Path here;
    private final Path there;
    private final Path set;
    private final AgentsHere agents;
    private final int every;
    private int drawn;
    private int cases;
    private int wrong;

    private DiskFailures(Path root, int every) {
        this.root = root;
        this.here = root.resolve("here");
        this.there = root.resolve("there");
        this.set = here.resolve("pool.set");
        this.agents = new AgentsHere(there);
        this.every = every;
    }

    public static void main(String[] args) throws Exception {
        DiskFailures failures = new DiskFailures(Path.of(args[0]), Integer.parseInt(args[1]));
        List<String> names = List.of(args).subList(2, args.length);
        try (FailingCalls shell = FailingCalls.under(failures.here.resolve("ssh"))) {
            shell.programs(failures.agents::start);
            for (Operation operation : new Operations(failures).all()) {
                if (names.isEmpty() || names.contains(operation.name())) {
                    failures.each(operation, failures.here);
                    failures.each(operation, failures.there);
                }
            }
        }
        System.out.println("cases " + failures.cases + ", wrong " + failures.wrong);
        System.exit(0);
    }

    Path here() {
        return here;
    }

    Path there() {
        return there;
    }

    Path set() {
        return set;
    }

    AgentsHere agents() {
        return agents;
    }

    // ---- files ----

    /** Only the poolset files, and how the replica is treated. */
    Map<Path, byte[]> poolsets(String policy) throws IOException {
        LosingDisk.write(root, Map.of());
        Files.createDirectories(here);
        Files.createDirectories(there);
        Files.writeString(set, "PMEMPOOLSET\n8M " + here + "/a\nREPLICA there copy.set\n");
        Files.writeString(there.resolve("copy.set"), "PMEMPOOLSET\n8M " + there + "/copy.part0\n");
        Files.writeString(here.resolve("pool.set.replication"), "policy = " + policy + "\n");
        return LosingDisk.read(root);
    }

    /** What there is after that, with everything let go. */
    Map<Path, byte[]> after(Map<Path, byte[]> files, Runnable work) throws InterruptedException {
        LosingDisk.write(root, files);
        work.run();
        if (!agents.awaitEnd()) {
            throw new IllegalStateException("agents that do not end");
        }
        return LosingDisk.read(root);
    }

    Map<Path, byte[]> now() {
        return LosingDisk.read(root);
    }

    // ---- one case after the other ----

    private void each(Operation operation, Path side) throws InterruptedException, IOException {
        int casesBefore = cases;
        int wrongBefore = wrong;
        List<Content> contents = contents(operation);
        LosingDisk.write(root, operation.files());
        long calls = run(operation, side, 0, FailingCalls.EIO, Trial.Then.GOES_ON, contents);
        for (int error : ERRORS) {
            for (Trial.Then then : differing(error)) {
                for (long call = 1; call <= calls; call++) {
                    if (drawn++ % every == 0) {
                        LosingDisk.write(root, operation.files());
                        long unused = run(operation, side, call, error, then, contents);
                    }
                }
            }
        }
        System.out.println(
                "%s, %s: %d calls, %d cases, %d wrong"
                        .formatted(
                                operation.name(),
                                side.getFileName(),
                                calls,
                                cases - casesBefore,
                                wrong - wrongBefore));
    }

    /** What is made again has not failed, and a disk that stays away does that with any error. */
    private static List<Trial.Then> differing(int error) {
        return switch (error) {
            case FailingCalls.EIO -> List.of(Trial.Then.values());
            case FailingCalls.ENOSPC -> List.of(Trial.Then.GOES_ON, Trial.Then.LOSES_POWER);
            default -> List.of(Trial.Then.GOES_ON);
        };
    }

    /** What the pool holds after the operation was done so many times. */
    private List<Content> contents(Operation operation) throws InterruptedException {
        if (operation.whole().keySet().stream().noneMatch(path -> path.endsWith("copy.part0"))) {
            return List.of(new Content(0, 0, 0), new Content(0, 0, 0));
        }
        List<Content> contents = new ArrayList<>();
        Map<Path, byte[]> ignored =
                after(
                        operation.whole(),
                        () -> {
                            try (ObjectPool pool = ObjectPool.open(set, "")) {
                                contents.add(Content.of(pool));
                                for (int i = 0; i < 2; i++) {
                                    operation.commits().accept(pool);
                                    contents.add(Content.of(pool));
                                }
                            }
                        });
        return ignored.isEmpty() ? List.of() : contents;
    }

    /** Returns how many calls there were. */
    private long run(
            Operation operation,
            Path side,
            long call,
            int error,
            Trial.Then then,
            List<Content> contents)
            throws InterruptedException, IOException {
        String where =
                "%s, %s, call %d, error %d, %s"
                        .formatted(operation.name(), side.getFileName(), call, error, then);
        Map<Path, byte[]> left = null;
        Trial trial;
        List<String> failed;
        long calls;
        try (LosingDisk losing = LosingDisk.under(side);
                FailingCalls disk = FailingCalls.under(side)) {
            trial = new Trial(disk, call, error, then, root.toString());
            operation.act().accept(trial);
            calls = trial.calls();
            boolean goesOn = then == Trial.Then.GOES_ON || !trial.hasFailed();
            if (then == Trial.Then.LOSES_POWER) {
                left = losing.losePower(new Random(SEED + cases));
            }
            if (!goesOn) {
                agents.cutOff();
            }
            if (trial.pool() != null) {
                boolean unused = trial.tolerated(trial.pool()::close);
            }
            agents.setReachable(true);
            if (!agents.awaitEnd()) {
                trial.wrong().add("an agent does not end");
            }
            failed = disk.failed();
            if (!goesOn || side.equals(there)) {
                disk.endProcess(); // an agent ends with its initiator
            }
        }
        if (left != null) {
            LosingDisk.write(side, left);
        }
        if (call == 0 || trial.hasFailed()) {
            cases += call == 0 ? 0 : 1;
            if (call == 0 && trial.done() < trial.tried()) {
                trial.wrong().add("fails without a failure");
            }
            if (trial.isInterrupted()
                    && trial.done() < trial.tried()
                    && !neverInterrupted(failed)) {
                trial.wrong().add("fails of a signal");
            }
            String error0 = trial.lastError();
            judge(operation, trial, contents);
            for (String fault : trial.wrong()) {
                wrong++;
                System.out.println(
                        "WRONG %s (%s): %s [%s]".formatted(where, failed, fault, error0));
            }
        }
        return calls;
    }

    private static boolean neverInterrupted(List<String> failed) {
        return failed.stream().anyMatch(call -> call.matches("(RENAME|START) .*"));
    }

    // ---- what is left ----

    private void judge(Operation operation, Trial trial, List<Content> contents)
            throws InterruptedException, IOException {
        List<Content> allowed =
                operation.counts()
                        ? contents.subList(trial.done(), trial.tried() + 1)
                        : contents.subList(0, 1);
        try {
            operation.judge().judge(this, trial, allowed);
        } catch (FarheapException | IllegalStateException | AssertionError e) {
            StringWriter trace = new StringWriter();
            e.printStackTrace(new PrintWriter(trace, true));
            trial.wrong().add("what is left: " + trace);
        }
        if (!agents.awaitEnd()) {
            trial.wrong().add("an agent does not end afterwards");
        }
    }

    /** The pool opens, after the steps that are printed, and its replica is as it is. */
    void requireWhole(Trial trial, List<Content> allowed) throws InterruptedException {
        requireHonestReplica(trial, allowed);
        requireOpens(trial, allowed);
        if (!trial.wrong().isEmpty()) {
            return;
        }
        if (!agents.awaitEnd()) {
            trial.wrong().add("an agent does not end afterwards");
        }
        Content now = promoted(trial);
        if (!allowed.contains(now)) {
            trial.wrong().add("in the end the replica has " + now + ", not one of " + allowed);
        }
    }

    private void requireOpens(Trial trial, List<Content> allowed) {
        List<String> steps = new ArrayList<>();
        for (int i = 0; i < MOST_STEPS; i++) {
            try (ObjectPool pool = ObjectPool.open(set, "")) {
                Content now = Content.of(pool);
                if (!allowed.contains(now)) {
                    trial.wrong().add("the pool has " + now + ", not one of " + allowed + steps);
                }
                return;
            } catch (FarheapException e) {
                steps.add(e.getMessage());
                if (!step(trial, e.getMessage(), steps)) {
                    trial.wrong().add("no step leads to a pool: " + steps);
                    return;
                }
            }
        }
        trial.wrong().add("steps without end: " + steps);
    }

    /** Types what the message says; false where it says nothing that can be typed. */
    private boolean step(Trial trial, String message, List<String> steps) {
        Matcher step = STEP.matcher(message);
        if (!step.find()) {
            return false;
        }
        List<String> words =
                WORD.matcher(step.group(1))
                        .results()
                        .map(word -> word.group().replace("\"", ""))
                        .toList();
        steps.add("farheap " + String.join(" ", words));
        if (!trial.say(words.toArray(String[]::new))) {
            steps.add(trial.lastError());
            String[] agreement = Agreement.words(trial.lastError());
            if (agreement.length > 0) {
                steps.add("farheap " + String.join(" ", agreement));
                boolean unused = trial.say(agreement);
            }
        }
        return true;
    }

    /** Whoever says that it has all of the pool's number has it. */
    private void requireHonestReplica(Trial trial, List<Content> allowed) {
        Path part = there.resolve("copy.part0");
        if (!Files.exists(part) || !Files.exists(journalOf(part))) {
            return;
        }
        ReplicaSlot slot;
        try {
            slot = ReplicaCopy.slotOf(part);
        } catch (RuntimeException e) {
            return; // it says nothing at all
        }
        long number = number();
        boolean current = number == 0 || slot.cur() == number || slot.next() == number;
        if (slot.state() == ReplicaState.INSYNC && current && !slot.mayLag()) {
            Content has = promoted(trial);
            if (has == null || !allowed.contains(has)) {
                trial.wrong()
                        .add("a replica %s has %s, not one of %s".formatted(slot, has, allowed));
            }
        }
    }

    /** What a promoted copy of the replica has. */
    private Content promoted(Trial trial) {
        try (ReplicaCopy copy = ReplicaCopy.of(there.resolve("copy.part0"))) {
            if (ReplicaCopy.slotOf(there.resolve("copy.part0")).state() != ReplicaState.PROMOTED) {
                var unused = copy.promote();
            }
            try (ObjectPool pool = ObjectPool.open(copy.set(), "")) {
                return Content.of(pool);
            }
        } catch (FarheapException e) {
            trial.wrong().add("a copy of the replica can't be promoted: " + e);
            return null;
        }
    }

    private static Path journalOf(Path part) {
        return part.resolveSibling(part.getFileName() + ".journal");
    }

    /** The pool's; 0: none is known. */
    private long number() {
        Path part = here.resolve("a");
        if (!Files.exists(part)) {
            return 0;
        }
        ByteBuffer word = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        try (FileChannel file = FileChannel.open(part)) {
            int unused = file.read(word, Descriptor.RUN_ID);
            return word.getLong(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static boolean isGone(Path... files) {
        return Arrays.stream(files).noneMatch(Files::exists);
    }
}
