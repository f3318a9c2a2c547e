package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import io.farheap.tools.DamagedPools.Kind;
import io.farheap.tools.DamagedPools.Structure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every structure of a pool, every part and every replica, damaged in every way: {@code check} and
 * {@code sync} say what is so, repair what can be, and change nothing else. What is damaged, and
 * how, is drawn from a seed, which {@code farheap.damage.seed} sets; the tag {@code long} goes
 * through many.
 *
 * <p>The rule behind all: a pool that check calls consistent opens with all that was committed,
 * unless the damage lies in what the format has no checksum for; and what a repair calls repaired
 * always does. Where {@code pmempool} is installed it is asked, too: what it refuses is refused
 * here, and what is repaired here it accepts.
 */
class DamageScenariosTest {
    private static final long SEED = Long.getLong("farheap.damage.seed", 20261122);
    private static final int MANY = Integer.getInteger("farheap.damage.rounds", 20);
    private static final int PLACES = 12;

    /** One in so many of the scenarios is tried. */
    private static final int STRIDE = Boolean.getBoolean("test.deep") ? 1 : 5;

    /** What can be done about it. */
    private enum Cure {
        /** By check --repair. */
        CHECK,
        /** By sync only. */
        SYNC,
        /** Nothing here can prove what was there; it may be repaired, and then is right. */
        PERHAPS,
        /** A person must decide. */
        NONE
    }

    /**
     * @param pool file name of the poolset or pool
     * @param files what the damaged parts hold; of null: they are missing
     * @param covered whether check must see it
     * @param told whether the format has something by which check could see it
     */
    private record Scenario(
            String name,
            String pool,
            Map<String, Supplier<byte[]>> files,
            boolean covered,
            boolean told,
            Cure cure) {
        @Override
        public String toString() {
            return name;
        }
    }

    @TempDir private static Path dir;
    private static DamagedPools pools;

    @BeforeAll
    static void pools() throws IOException {
        pools = new DamagedPools(dir);
    }

    // ---- the scenarios ----

    static Stream<Scenario> scenarios() {
        List<Scenario> all = generate(new Random(SEED));
        return IntStream.range(0, all.size()).filter(i -> i % STRIDE == 0).mapToObj(all::get);
    }

    private static List<Scenario> generate(Random random) {
        List<Scenario> all = new ArrayList<>();
        for (Structure structure : Structure.values()) {
            for (Kind kind : Kind.values()) {
                structure(all, structure, kind, random);
            }
        }
        for (Kind kind : Kind.values()) {
            String later = random.nextBoolean() ? "b" : "d";
            all.add(structure("r.set", later, Structure.HEADER, kind, Cure.CHECK, random));
            later = random.nextBoolean() ? "f" : "g";
            all.add(structure("m.set", later, Structure.HEADER, kind, Cure.CHECK, random));
        }
        for (int i = 0; i < PLACES; i++) {
            all.add(somewhere(i, random));
        }
        parts(all, random);
        return all;
    }

    private static void structure(
            List<Scenario> all, Structure structure, Kind kind, Random random) {
        boolean first = random.nextBoolean();
        if (structure != Structure.LOG) {
            all.add(structure("r.set", first ? "a" : "c", structure, kind, Cure.CHECK, random));
            boolean alike =
                    structure == Structure.HEAP_HEADER || structure == Structure.ZONE_HEADER;
            Cure alone = alike ? Cure.CHECK : Cure.PERHAPS;
            all.add(structure("single", "single", structure, kind, alone, random));
        }
        boolean withLog =
                structure == Structure.LOG
                        || structure == Structure.HEADER
                        || structure == Structure.CHUNK_HEADER;
        if (withLog) {
            all.add(structure("t.set", first ? "h" : "i", structure, kind, Cure.CHECK, random));
            all.add(structure("cut", "cut", structure, kind, Cure.PERHAPS, random));
        }
    }

    private static Scenario structure(
            String pool, String part, Structure structure, Kind kind, Cure cure, Random random) {
        int offset = pools.place(part, structure, random);
        long seed = random.nextLong();
        byte[] damaged = pools.damaged(part, offset, structure.length(), kind, seed);
        boolean like = isSingle(pool) && pools.isLike(part, structure, offset, damaged);
        boolean same = pools.isTheSame(part, structure, offset, damaged);
        return new Scenario(
                pool + ": " + structure + " of " + part + " " + kind,
                pool,
                Map.of(part, () -> pools.damaged(part, offset, structure.length(), kind, seed)),
                structure.isCovered(kind) && !like && !same,
                structure.isTold() && !like,
                cure);
    }

    /** Up to some pages from anywhere. */
    private static Scenario somewhere(int number, Random random) {
        String part = List.of("a", "b", "c", "d", "single").get(random.nextInt(5));
        Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
        int length = 1 + random.nextInt(1 << random.nextInt(15));
        int offset = random.nextInt(pools.sound(part).length - length);
        long seed = random.nextLong();
        boolean alone = part.equals("single");
        return new Scenario(
                number + ": " + part + " " + kind + " at " + offset + ", " + length + " bytes",
                alone ? "single" : "r.set",
                Map.of(part, () -> pools.damaged(part, offset, length, kind, seed)),
                false,
                !pools.isData(part, offset, length),
                alone ? Cure.PERHAPS : Cure.CHECK);
    }

    private static void parts(List<Scenario> all, Random random) {
        for (String part : List.of("a", "b", "c", "d")) {
            byte[] sound = pools.sound(part);
            int kept = random.nextInt(sound.length);
            all.add(part(part, "truncated", () -> Arrays.copyOf(sound, kept), Cure.SYNC));
            all.add(part(part, "zeroed", () -> new byte[sound.length], Cure.CHECK));
            all.add(part(part, "missing", () -> null, Cure.SYNC));
        }
        all.add(part("a", "of an older run", () -> pools.old("a"), Cure.NONE));
        all.add(part("c", "of an older run", () -> pools.old("c"), Cure.NONE));
        for (String pair : List.of("ab", "ac", "ad", "bc", "bd", "cd")) {
            String one = pair.substring(0, 1);
            String two = pair.substring(1);
            Map<String, Supplier<byte[]>> swapped =
                    Map.of(one, () -> pools.sound(two), two, () -> pools.sound(one));
            all.add(set(pair + " swapped", swapped, Cure.NONE));
        }
        for (String replica : List.of("ab", "cd")) {
            String one = replica.substring(0, 1);
            String two = replica.substring(1);
            all.add(set(replica + " missing", Map.of(one, () -> null, two, () -> null), Cure.SYNC));
            Map<String, Supplier<byte[]>> old =
                    Map.of(one, () -> pools.old(one), two, () -> pools.old(two));
            all.add(set(replica + " of an older run", old, Cure.NONE));
        }
        // No number tells of what run a later part is.
        for (String part : List.of("b", "d", "f", "g")) {
            boolean mirrored = part.compareTo("e") < 0;
            all.add(
                    new Scenario(
                            part + " of an older run",
                            mirrored ? "r.set" : "m.set",
                            Map.of(part, () -> pools.old(part)),
                            false,
                            false,
                            mirrored ? Cure.CHECK : Cure.PERHAPS));
        }
    }

    private static Scenario part(String part, String what, Supplier<byte[]> bytes, Cure cure) {
        return set(part + " " + what, Map.of(part, bytes), cure);
    }

    private static Scenario set(String what, Map<String, Supplier<byte[]>> files, Cure cure) {
        return new Scenario("r.set: " + what, "r.set", files, true, true, cure);
    }

    // ---- what must be so ----

    @ParameterizedTest
    @Tag("sliced")
    @MethodSource("scenarios")
    void checkAndSyncSayTheTruth(Scenario scenario) throws Exception {
        Path pool = dir.resolve(scenario.pool());
        damage(scenario);
        Run look = Run.farheap("check", pool);
        boolean seen = look.exitCode() != 0;
        assertThat(seen || !scenario.covered()).as(look.out()).isTrue();
        assertThat(seen || isAcceptedByPmempool(pool)).as("as pmempool").isTrue();
        requireUnchanged(scenario);
        if (seen) {
            repair(scenario, pool);
        } else if (scenario.told()) {
            pools.requireContent(pool);
        } else {
            open(pool);
        }
        if (!isSingle(scenario.pool())) {
            damage(scenario);
            sync(scenario, pool, seen);
        }
    }

    private static boolean isSingle(String pool) {
        return !pool.endsWith(".set");
    }

    /** Where nothing tells of the damage it may be found by chance, and by a sentence. */
    private static void open(Path file) {
        try (ObjectPool pool = ObjectPool.open(file, "bank")) {
            Ref root = pool.root(64);
            assertThat(root.isNull()).isFalse();
        } catch (FarheapException e) {
            assertThat(e.category()).isEqualTo(FarheapException.Category.BAD_DATA);
        }
    }

    /** Also where it is not installed. */
    private static boolean isAcceptedByPmempool(Path pool) throws Exception {
        if (Stream.of(System.getenv("PATH").split(":"))
                .noneMatch(path -> Files.isExecutable(Path.of(path, "pmempool")))) {
            return true;
        }
        return new ProcessBuilder("pmempool", "check", pool.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor()
                == 0;
    }

    private static void repair(Scenario scenario, Path pool) throws Exception {
        Run repair = Run.agreeing("check", "-r", "-y", "-a", pool);
        boolean done = repair.exitCode() == 0;
        if (done) {
            assertThat(repair.out()).containsPattern(": repaired(\n|; it was not closed: )");
            // Where it says that it believes a name it may be another.
            requireWhole(pool, repair.out().contains("assumed: the layout's name") ? null : "bank");
        } else {
            assertThat(repair.exitCode()).as(repair.err()).isEqualTo(ExitCode.BAD_DATA);
            requireUnchanged(scenario);
        }
        if (scenario.cure() != Cure.PERHAPS) {
            assertThat(done)
                    .as(repair.err() + repair.out())
                    .isEqualTo(scenario.cure() == Cure.CHECK);
        }
    }

    private static void requireWhole(Path pool, String layout) throws Exception {
        Run.farheap("check", pool).succeeded();
        assertThat(isAcceptedByPmempool(pool)).as("pmempool accepts it").isTrue();
        pools.requireContent(pool, layout);
    }

    /** It need not see what check sees; but what it calls done is, and else nothing has changed. */
    private static void sync(Scenario scenario, Path pool, boolean seen) throws Exception {
        Run plan = Run.farheap("sync", "-d", pool);
        requireUnchanged(scenario);
        Run sync = Run.farheap("sync", pool);
        assertThat(sync.exitCode()).isEqualTo(plan.exitCode());
        boolean changed = sync.out().contains("now: ");
        if (sync.exitCode() != 0) {
            assertThat(sync.err()).startsWith("farheap: ");
            requireUnchanged(scenario);
        } else if (changed) {
            requireWhole(pool, "bank");
        } else {
            requireUnchanged(scenario);
            boolean copied = !scenario.pool().equals("m.set");
            assertThat(sync.out().contains("was not read")).isEqualTo(copied);
        }
        assertThat(scenario.cure() != Cure.SYNC || changed).as(sync.err() + sync.out()).isTrue();
        assertThat(scenario.cure() == Cure.NONE && sync.exitCode() == 0 && seen)
                .as(sync.out())
                .isFalse();
    }

    // ---- the files ----

    /** The pool of the scenario, sound but for its damage; the others nobody has changed. */
    private static void damage(Scenario scenario) throws IOException {
        for (String part : pools.partsOf(scenario.pool())) {
            pools.put(part, expected(part, scenario));
        }
    }

    private static byte[] expected(String part, Scenario scenario) {
        return scenario.files().getOrDefault(part, () -> pools.sound(part)).get();
    }

    private static void requireUnchanged(Scenario scenario) throws IOException {
        for (String part : pools.partsOf(scenario.pool())) {
            byte[] expected = expected(part, scenario);
            Path file = dir.resolve(part);
            if (expected == null) {
                assertThat(file).doesNotExist();
            } else {
                assertThat(Arrays.mismatch(Files.readAllBytes(file), expected))
                        .as("the first byte of %s that is not as before", part)
                        .isEqualTo(-1);
            }
        }
    }

    @Test
    void thereAreEnoughOfThem() {
        List<Scenario> all = generate(new Random(SEED));
        assertThat(all).hasSizeGreaterThanOrEqualTo(100);
        assertThat(all.stream().map(Scenario::name).distinct()).hasSize(all.size());
    }

    static Stream<Long> seeds() {
        return new Random(SEED).longs(MANY).boxed();
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("seeds")
    void whateverIsDrawn(long seed) throws Exception {
        for (Scenario scenario : generate(new Random(seed))) {
            try {
                checkAndSyncSayTheTruth(scenario);
            } catch (AssertionError e) {
                throw new AssertionError("seed " + seed + ", " + scenario, e);
            }
        }
    }
}
