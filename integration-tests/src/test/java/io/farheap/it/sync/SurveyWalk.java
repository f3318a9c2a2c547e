package io.farheap.it.sync;

import io.farheap.ObjectPool;
import io.farheap.pool.CreateOptions;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolSource;
import io.farheap.tools.InProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Generated states of a pool's copies, and the next step that is printed, typed until none is left:
 * {@code SET TARGET SEED COUNT}. The pool has two parts and a local replica here and a replica on
 * the target. What was committed last is a word that no other copy has, so that any file shows
 * whether it has it. Prints a line for each state and {@code WRONG} where a step lost that word, a
 * dry run planned what the run refused, the steps did not end, or verify and promote contradict
 * status.
 */
final class SurveyWalk {
    private static final String LAYOUT = "walk";
    private static final long OLD = 0x1d01d01d01d01d01L;
    private static final long NEW = 0x4e574e574e574e57L;
    private static final int MOST_STEPS = 6;
    private static final Pattern SYNC = Pattern.compile("(?:^|then )farheap sync (\\S+)$");

    /** What a person is told to choose from; each of it overwrites or repairs something. */
    private static final Pattern ORDER =
            Pattern.compile(
                    "farheap (?:sync --(?:overwrite|from) \"[^\"]*\" [^\\s;]+|check -r (?:-d )?[^\\s;]+)");

    private static final Pattern WORD = Pattern.compile("\"[^\"]*\"|\\S+");

    private enum Here {
        WHOLE,
        NO_A,
        NO_B,
        NO_C,
        NO_A_B,
        NONE,
        NO_A_C,
        OLD_A_B,
        OLD_C,
        SHORT_C,
        FOREIGN_C,
        CUT_CREATION,
        CUT_CREATION_ALONE,
        WIPED_A,
        WIPED_A_C
    }

    private enum There {
        WHOLE,
        ABSENT,
        DOWN,
        OTHER_POOL,
        PROMOTED,
        OLD,
        NO_JOURNAL,
        NO_PART,
        WIPED_PART
    }

    private enum Edit {
        NO,
        ORDER,
        LESS,
        MORE
    }

    private final Path set;
    private final Path here;
    private final Path target;
    private final Map<Path, byte[]> whole = new TreeMap<>();
    private final Map<Path, byte[]> old = new TreeMap<>();
    private final List<String> wrong = new ArrayList<>();
    private int typed;
    private int ordered;

    private SurveyWalk(Path set, Path target) {
        this.set = set;
        this.here = set.getParent();
        this.target = target;
    }

    public static void main(String[] args) throws Exception {
        SurveyWalk walk = new SurveyWalk(Path.of(args[0]), Path.of(args[1]));
        walk.prepare();
        Random random = new Random(Long.parseLong(args[2]));
        int count = Integer.parseInt(args[3]);
        List<Here> lefts = new ArrayList<>(List.of(Here.values()));
        Collections.shuffle(lefts, random);
        for (int i = 0; i < count; i++) {
            // Each state of the one side at least once, the rest by chance.
            Here left = lefts.get(i % lefts.size());
            There right = There.values()[random.nextInt(There.values().length)];
            Edit edit = random.nextInt(3) > 0 ? Edit.NO : pick(random, Edit.values());
            walk.walk(left, right, edit);
        }
        walk.wrong.forEach(line -> System.out.println("WRONG " + line));
        System.out.println(
                "states "
                        + count
                        + ", steps "
                        + walk.typed
                        + ", orders "
                        + walk.ordered
                        + ", wrong "
                        + walk.wrong.size());
        System.exit(0); // no agent that hangs keeps it
    }

    private static Edit pick(Random random, Edit[] values) {
        return values[random.nextInt(values.length)];
    }

    // ---- what there is ----

    private void write(String... lines) throws IOException {
        StringBuilder text = new StringBuilder("PMEMPOOLSET\n");
        for (String line : lines) {
            text.append(line.replaceFirst("([0-9]+M) ", "$1 " + here + "/")).append('\n');
        }
        text.append("REPLICA ").append(target.getFileName()).append(" copy.set\n");
        Files.writeString(set, text);
    }

    private void asMade() throws IOException {
        write("6M a", "6M b", "REPLICA", "12M c");
    }

    private void prepare() throws IOException {
        asMade();
        try (ObjectPool pool = ObjectPool.openOrCreate(set, LAYOUT)) {
            pool.setLong(pool.root(64), 0, OLD);
        }
        take(old);
        try (ObjectPool pool = ObjectPool.openOrCreate(set, LAYOUT)) {
            pool.setLong(pool.root(64), 0, NEW);
        }
        take(whole);
    }

    private List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>();
        for (Path directory : List.of(here, target)) {
            try (Stream<Path> all = Files.list(directory)) {
                all.filter(Files::isRegularFile)
                        .filter(file -> isPools(file.getFileName().toString()))
                        .forEach(files::add);
            }
        }
        return files;
    }

    private static boolean isPools(String name) {
        return name.matches("[abcdo](\\..*)?|copy\\.part0.*|down");
    }

    private void take(Map<Path, byte[]> into) throws IOException {
        for (Path file : files()) {
            into.put(file, Files.readAllBytes(file));
        }
    }

    private void putBack() throws IOException {
        put(whole);
        asMade();
    }

    private void put(Map<Path, byte[]> state) throws IOException {
        for (Path file : files()) {
            Files.delete(file);
        }
        for (Map.Entry<Path, byte[]> file : state.entrySet()) {
            Files.write(file.getKey(), file.getValue());
        }
    }

    private void lose(String... parts) throws IOException {
        for (String part : parts) {
            Files.deleteIfExists(here.resolve(part));
        }
    }

    private void makeOther(Path file, String size, boolean run) throws IOException {
        Path other = here.resolve("other.set");
        Files.writeString(other, "PMEMPOOLSET\n" + size + " " + file + "\n");
        if (run) {
            ObjectPool.create(other, LAYOUT).close();
        } else {
            PoolFiles.create(PoolSource.of(other), CreateOptions.withLayout(LAYOUT), m -> {})
                    .close();
        }
        Files.delete(other);
    }

    private void make(Here state) throws IOException {
        switch (state) {
            case WHOLE -> {}
            case NO_A -> lose("a");
            case NO_B -> lose("b");
            case NO_C -> lose("c");
            case NO_A_B -> lose("a", "b");
            case NONE -> lose("a", "b", "c");
            case NO_A_C -> lose("a", "c");
            case OLD_A_B -> {
                putOld("a");
                putOld("b");
            }
            case OLD_C -> putOld("c");
            case SHORT_C -> {
                try (RandomAccessFile file =
                        new RandomAccessFile(here.resolve("c").toFile(), "rw")) {
                    file.setLength(file.length() / 2);
                }
            }
            case FOREIGN_C -> {
                lose("c");
                makeOther(here.resolve("c"), "12M", true);
            }
            case CUT_CREATION, CUT_CREATION_ALONE -> {
                lose("a", "b", "c");
                Path alone = here.resolve("other.set");
                Files.writeString(
                        alone,
                        "PMEMPOOLSET\n6M %1$s/a\n6M %1$s/b\nREPLICA\n12M %1$s/c\n".formatted(here));
                PoolFiles.create(PoolSource.of(alone), CreateOptions.withLayout(LAYOUT), m -> {})
                        .close();
                Files.delete(alone);
                if (state == Here.CUT_CREATION_ALONE) {
                    lose("b", "c");
                }
            }
            case WIPED_A -> wipe(here.resolve("a"));
            case WIPED_A_C -> {
                wipe(here.resolve("a"));
                wipe(here.resolve("c"));
            }
        }
    }

    private void putOld(String part) throws IOException {
        Files.write(here.resolve(part), old.get(here.resolve(part)));
    }

    /** Its header is zero. */
    private static void wipe(Path part) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(part.toFile(), "rw")) {
            file.write(new byte[4096]);
        }
    }

    private void make(There state) throws IOException {
        Path part = target.resolve("copy.part0");
        switch (state) {
            case WHOLE -> {}
            case ABSENT -> {
                for (Path file : files()) {
                    if (file.getParent().equals(target)) {
                        Files.delete(file);
                    }
                }
            }
            case DOWN -> Files.writeString(target.resolve("down"), "");
            case OTHER_POOL -> {
                make(There.ABSENT);
                Path other = here.resolve("other.set");
                Files.writeString(
                        other,
                        "PMEMPOOLSET\n16M %s/o\nREPLICA %s copy.set\n"
                                .formatted(here, target.getFileName()));
                ObjectPool.create(other, LAYOUT).close();
                Files.delete(other);
                lose("o", "o.status");
            }
            case PROMOTED -> {
                Said said = say("promote", target.getFileName() + " copy.set");
                if (said.exitCode() != 0) {
                    throw new IllegalStateException("promote: " + said);
                }
            }
            case NO_JOURNAL -> Files.delete(target.resolve("copy.part0.journal"));
            case NO_PART -> Files.delete(part);
            case WIPED_PART -> wipe(part);
            case OLD -> {
                for (Map.Entry<Path, byte[]> file : old.entrySet()) {
                    if (file.getKey().getParent().equals(target)) {
                        Files.write(file.getKey(), file.getValue());
                    }
                }
            }
        }
        boolean lost = state == There.ABSENT || state == There.NO_PART;
        if (!lost && !Files.exists(part)) {
            throw new IllegalStateException(part + " is not there for " + state);
        }
    }

    private void make(Edit edit) throws IOException {
        switch (edit) {
            case NO -> {}
            case ORDER -> write("6M b", "6M a", "REPLICA", "12M c");
            case LESS -> write("6M a", "6M b");
            case MORE -> write("6M a", "6M b", "REPLICA", "12M c", "REPLICA", "12M d");
        }
    }

    /** The files that have what was committed last. */
    private List<Path> holders() throws IOException {
        byte[] word =
                ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(NEW).array();
        List<Path> holders = new ArrayList<>();
        for (Path directory : List.of(here, target)) {
            try (Stream<Path> all = Files.list(directory)) {
                for (Path file : all.filter(Files::isRegularFile).toList()) {
                    if (has(Files.readAllBytes(file), word)) {
                        holders.add(file);
                    }
                }
            }
        }
        return holders;
    }

    private static boolean has(byte[] bytes, byte[] word) {
        for (int at = 0; at + word.length <= bytes.length; at += Long.BYTES) {
            if (bytes[at] == word[0]
                    && Arrays.equals(bytes, at, at + word.length, word, 0, word.length)) {
                return true;
            }
        }
        return false;
    }

    // ---- what is typed ----

    private record Said(int exitCode, String out, String err) {}

    private Said say(String... words) {
        typed++;
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = InProcess.farheap(new PrintWriter(out, true), new PrintWriter(err, true), words);
        return new Said(code, out.toString(), err.toString());
    }

    private void walk(Here left, There right, Edit edit) throws IOException {
        putBack();
        String state = left + " / " + right + " / " + edit;
        make(right); // promotes what is still attached to the pool
        make(left);
        make(edit);
        List<Path> before = holders();
        hear(state);
        List<String> steps = new ArrayList<>();
        String end = null;
        for (int i = 0; i < MOST_STEPS && end == null; i++) {
            Said status = say("status", set.toString());
            if (status.exitCode() == 0) {
                end = "in order";
            } else {
                end = step(status, steps);
            }
            if (!before.isEmpty() && holders().isEmpty()) {
                wrong.add(state + ": the last copy is gone after " + steps);
                end = "lost";
            }
        }
        if (end == null) {
            wrong.add(state + ": no end after " + steps);
        } else if (end.equals("in order")) {
            judge(state, before, steps);
        }
        System.out.println(state + ": " + String.join(", ", steps) + " -> " + end);
        if (end != null && !before.isEmpty()) {
            obey(state, end);
        }
    }

    /** One judgement of the copies, whoever is asked. */
    private void hear(String state) {
        Said status = say("status", "--json", set.toString());
        Said verify = say("verify", "--json", set.toString());
        Said promote = say("promote", "-d", target.getFileName() + " copy.set");
        OneJudgement.contradictions(
                        new OneJudgement.Said(status.exitCode(), status.out()),
                        new OneJudgement.Said(verify.exitCode(), verify.out()),
                        promote.exitCode())
                .forEach(line -> wrong.add(state + ": " + line));
    }

    /**
     * Types each order that a person is told to choose from, agreed to and without naming a copy
     * that may be lost: then none is.
     */
    private void obey(String state, String end) throws IOException {
        Map<Path, byte[]> now = new TreeMap<>();
        take(now);
        for (MatchResult order : ORDER.matcher(end).results().toList()) {
            put(now);
            List<String> words = new ArrayList<>();
            WORD.matcher(order.group())
                    .results()
                    .map(word -> word.group().replace("\"", ""))
                    .filter(word -> !word.equals("-d"))
                    .forEach(words::add);
            words.removeFirst();
            words.add(1, "--yes");
            ordered++;
            Said said = say(words.toArray(String[]::new));
            if (holders().isEmpty()) {
                wrong.add(state + ": the last copy is gone by " + words + ": " + said.out());
            }
            System.out.println("    " + words + " " + said.exitCode());
        }
    }

    /** Takes the first step that can be typed, or done; else says why it is a person's. */
    private String step(Said status, List<String> steps) throws IOException {
        List<String> next =
                status.out()
                        .lines()
                        .filter(line -> line.startsWith("next step"))
                        .map(line -> line.substring(line.indexOf(':') + 2))
                        .filter(line -> !line.equals("none"))
                        .toList();
        for (String line : next) {
            if (line.contains("in that order again")
                    || line.contains("put the REPLICA line")
                    || line.startsWith("take it out of")) {
                asMade();
                steps.add("poolset file put right");
                return null;
            }
            if (line.startsWith("see that the target")) {
                Files.deleteIfExists(target.resolve("down"));
                steps.add("target brought up");
                return null;
            }
        }
        for (String line : next) {
            Matcher sync = SYNC.matcher(line);
            if (sync.find() && !line.contains("move")) {
                return sync(steps);
            }
        }
        return next.isEmpty() ? "not in order, and no next step" : "a person: " + next.get(0);
    }

    private String sync(List<String> steps) {
        Said plan = say("sync", "-d", set.toString());
        Said run = say("sync", set.toString());
        steps.add("sync " + run.exitCode());
        if (run.exitCode() != 0 && plan.exitCode() == 0) {
            wrong.add("a plan that is refused: " + plan.out() + run.err());
        }
        if (run.exitCode() != 0 && run.err().indexOf(';') < 0) {
            wrong.add("a refusal without a next step: " + run.err());
        }
        return run.exitCode() == 0 ? null : "refused: " + run.err().strip();
    }

    private void judge(String state, List<Path> before, List<String> steps) throws IOException {
        try (ObjectPool pool = ObjectPool.open(set, LAYOUT)) {
            long value = pool.root().isNull() ? 0 : pool.getLong(pool.root(), 0);
            if (!before.isEmpty() && value != NEW) {
                wrong.add(state + ": in order without the last commit after " + steps);
            }
        }
    }
}
