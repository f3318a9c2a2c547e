package io.farheap.poolset;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.poolset.PoolSet.Option;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PoolSetPropertyTest {
    private static final int ROUNDS = 5_000;
    private static final String[] FRAGMENTS = {
        "PMEMPOOLSET",
        "\n",
        "\r\n",
        "\r",
        "\n",
        "REPLICA",
        "OPTION",
        "SINGLEHDR",
        "NOHDRS",
        " ",
        "\t",
        "#",
        "8M",
        "AUTO",
        "/none/a",
        "/none/b",
        "/",
        "/dev/null",
        "/tmp",
        "far",
        "ada@far:22",
        "[fe80::1]:7",
        "b.set",
        "0",
        "9223372036854775807",
        "kB",
        "PiB",
        "\0",
        "\u00fc",
        "-",
        ":",
        "@",
        "["
    };

    /** A set made from nothing, written, parsed: the same set. */
    @Test
    void parseAfterWriteIsIdentity() {
        for (long seed = 0; seed < ROUNDS; seed++) {
            PoolSet set = randomSet(new Random(seed));

            PoolSet read = PoolSetParser.parse("", PoolSetWriter.toBytes(set));

            assertThat(read).as("seed %d", seed).isEqualTo(set);
            assertThat(read.replicas()).as("seed %d", seed).isEqualTo(set.replicas());
            assertThat(read.options()).as("seed %d", seed).isEqualTo(set.options());
        }
    }

    /** Any text: a set that is written back byte by byte, or the exception with a place in it. */
    @Test
    void anyInputGivesASetOrThatException() {
        int sets = 0;
        for (long seed = 0; seed < ROUNDS; seed++) {
            sets += parses(randomText(new Random(seed)), "seed " + seed) ? 1 : 0;
        }
        assertThat(sets).as("inputs that are sets").isGreaterThan(ROUNDS / 100);
    }

    /** Likewise good files with a few bytes changed. */
    @Test
    void damagedFilesGiveASetOrThatException() {
        int sets = 0;
        for (long seed = 0; seed < ROUNDS; seed++) {
            Random random = new Random(seed);
            byte[] content = PoolSetWriter.toBytes(randomSet(random));
            for (int i = random.nextInt(3); i >= 0; i--) {
                content[random.nextInt(content.length)] = (byte) random.nextInt(256);
            }
            sets += parses(content, "seed " + seed) ? 1 : 0;
        }
        assertThat(sets).as("inputs that are sets").isBetween(ROUNDS / 20, ROUNDS - ROUNDS / 20);
    }

    /** Edits of any set give a set that is parsed back as the same. */
    @Test
    void editedSetsAreReadBackAsTheSame() {
        for (long seed = 0; seed < ROUNDS; seed++) {
            Random random = new Random(seed);
            PoolSet set = randomSet(random);
            for (int i = 0; i < 4; i++) {
                set = edit(set, random);
            }
            PoolSet read = PoolSetParser.parse("", PoolSetWriter.toBytes(set));
            assertThat(read).as("seed %d", seed).isEqualTo(set);
            assertThat(read.replicas()).as("seed %d", seed).isEqualTo(set.replicas());
        }
    }

    static boolean parses(byte[] content, String description) {
        try {
            PoolSet set = PoolSetParser.parse("a.set", content);
            assertThat(PoolSetWriter.toBytes(set)).as(description).isEqualTo(content);
            assertThat(set.poolSize()).as(description).isNotNegative();
            return true;
        } catch (PoolSetSyntaxException e) {
            assertThat(e.line()).as(description).isPositive();
            assertThat(e.column()).as(description).isPositive();
            return false;
        }
    }

    private static PoolSet edit(PoolSet set, Random random) {
        switch (random.nextInt(4)) {
            case 0:
                return set.withReplica(random.nextBoolean() ? remote(random) : local(random));
            case 1:
                int last = set.replicas().size() - 1;
                return last == 0 ? set : set.withoutReplica(last);
            case 2:
                return set.withPart(0, random.nextInt(set.master().parts().size()), part(random));
            default:
                Option option = Option.values()[random.nextInt(2)];
                return set.has(option) ? set.withoutOption(option) : set.withOption(option);
        }
    }

    private static PoolSet randomSet(Random random) {
        EnumSet<Option> options = EnumSet.noneOf(Option.class);
        for (Option option : Option.values()) {
            if (random.nextInt(4) == 0) {
                options.add(option);
            }
        }
        List<Replica> replicas = new ArrayList<>(List.of(local(random)));
        for (int i = random.nextInt(4); i > 0; i--) {
            replicas.add(random.nextBoolean() ? remote(random) : local(random));
        }
        return PoolSet.of(options, replicas);
    }

    private static LocalReplica local(Random random) {
        List<Part> parts = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            parts.add(part(random));
        }
        return new LocalReplica(parts);
    }

    private static Part part(Random random) {
        long size = 1 + (random.nextLong() >>> (4 + random.nextInt(59)));
        return Part.file(Path.of("/none/p\u00fc" + random.nextInt(1000)), size);
    }

    private static RemoteReplica remote(Random random) {
        String[] hosts = {"far", "10.0.0.1", "fe80::1", "::1", "far-away.example"};
        return new RemoteReplica(
                random.nextBoolean() ? null : "ada",
                hosts[random.nextInt(hosts.length)],
                random.nextBoolean() ? 0 : 1 + random.nextInt(65535),
                "sets/" + random.nextInt(100) + ".set");
    }

    private static byte[] randomText(Random random) {
        StringBuilder text = new StringBuilder(random.nextInt(10) == 0 ? "" : "PMEMPOOLSET\n");
        if (random.nextBoolean()) {
            text.append("8M /none/a\n");
        }
        for (int i = random.nextInt(12); i > 0; i--) {
            text.append(FRAGMENTS[random.nextInt(FRAGMENTS.length)]);
        }
        return text.toString()
                .getBytes(
                        random.nextBoolean()
                                ? StandardCharsets.UTF_8
                                : StandardCharsets.ISO_8859_1);
    }
}
