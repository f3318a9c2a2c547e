package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.layout.Descriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code farheap transform} of a pool in which the content of a local replica is damaged. */
class TransformSourceTest {
    /** The header of the run in the first chunk: behind heap header, zone header, chunk headers. */
    private static final long FIRST_RUN = Descriptor.DEFAULT_HEAP_OFFSET + 1024 + 0x80000;

    private static final int OBJECTS = 400;

    @TempDir private Path dir;

    private Path set(String name, String lines) throws IOException {
        String text = "PMEMPOOLSET\n" + lines.replace('/', '\n').replace("@", dir + "/") + "\n";
        return Files.writeString(dir.resolve(name), text);
    }

    private Path pool(String lines) throws IOException {
        Path set = set("from.set", lines);
        try (ObjectPool pool = ObjectPool.create(set, "bank")) {
            Ref root = pool.root(64);
            pool.transaction(
                    tx -> {
                        for (int i = 0; i < OBJECTS; i++) {
                            Ref object = tx.allocate(96, 7);
                            tx.setRef(object, 0, tx.getRef(root, 0));
                            tx.setRef(root, 0, object);
                        }
                    });
        }
        return set;
    }

    /** Of the part that has the first chunk; all headers of parts stay right. */
    private void damage(String part) throws IOException {
        try (FileChannel file = FileChannel.open(dir.resolve(part), StandardOpenOption.WRITE)) {
            assertThat(file.write(ByteBuffer.allocate(8), FIRST_RUN)).isEqualTo(8);
        }
    }

    private static void assertWhole(Path set) {
        Run.farheap("check", set).succeeded();
        try (ObjectPool pool = ObjectPool.open(set, "bank")) {
            int objects = 0;
            for (Ref at = pool.getRef(pool.root(64), 0); !at.isNull(); at = pool.getRef(at, 0)) {
                objects++;
            }
            assertThat(objects).isEqualTo(OBJECTS);
        }
        Run.farheap("verify", set).succeeded();
    }

    private Map<String, Integer> files() throws IOException {
        Map<String, Integer> sums = new TreeMap<>();
        try (Stream<Path> all = Files.list(dir)) {
            for (Path file : all.toList()) {
                sums.put(file.getFileName().toString(), Arrays.hashCode(Files.readAllBytes(file)));
            }
        }
        return sums;
    }

    @ParameterizedTest
    @CsvSource({
        "others, 10M @a/10M @b/REPLICA/20M @c, a, 20M @d, d",
        "the sound one stays, 10M @a/10M @b/REPLICA/20M @c, a, 20M @c, c",
        "others of the last one, 20M @c/REPLICA/10M @a/10M @b, a, 20M @d/REPLICA/20M @e, d e",
        "of two damaged ones, 8M @a/REPLICA/8M @b/REPLICA/8M @c, a b, 8M @d, d"
    })
    void copiesAreMadeFromTheReplicaThatIsSound(
            String what, String from, String damaged, String to, String left) throws IOException {
        Path before = pool(from);
        for (String part : damaged.split(" ")) {
            damage(part);
        }
        assertThat(Run.farheap("check", before).exitCode()).as(what).isEqualTo(ExitCode.BAD_DATA);
        Path after = set("to.set", to);

        Run.agreeing("transform", before, after).succeeded();

        assertWhole(after);
        for (String part : left.split(" ")) {
            assertThat(dir.resolve(part)).exists();
        }
        assertThat(dir.resolve("a")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource({
        "the damaged one would stay, 10M @a/10M @b/REPLICA/20M @c, a, 10M @a/10M @b",
        "the damaged one would stay and others be made, 8M @a/REPLICA/8M @c, a,"
                + " 8M @a/REPLICA/8M @c/REPLICA/8M @d",
        "none is sound, 8M @a/REPLICA/8M @c, a c, 8M @d",
        "the only one is damaged, 8M @a, a, 8M @a/REPLICA/8M @d"
    })
    void nothingIsChangedWhereDamageWouldStay(String what, String from, String damaged, String to)
            throws IOException {
        Path before = pool(from);
        for (String part : damaged.split(" ")) {
            damage(part);
        }
        Path after = set("to.set", to);
        Map<String, Integer> untouched = files();

        for (String option : new String[] {"-v", "-d"}) {
            Run run = Run.farheap("transform", option, before, after);

            run.failedWith(
                    ExitCode.BAD_DATA,
                    "its content is damaged: " + dir.resolve("a") + ": heap: ",
                    "farheap check -r " + before);
            assertThat(run.out()).as(what).isEmpty();
            assertThat(files()).as(what).isEqualTo(untouched);
        }
    }

    @Test
    void theDamagedCopyOfALaterRunIsNeverLost() throws IOException {
        Path before = pool("8M @a/REPLICA/8M @c");
        Path old = dir.resolve("old");
        Files.copy(dir.resolve("c"), old);
        ObjectPool.open(before, "bank").close();
        Files.move(old, dir.resolve("c"), StandardCopyOption.REPLACE_EXISTING);
        damage("a");
        Path after = set("to.set", "8M @c");
        Map<String, Integer> untouched = files();

        Run.farheap("transform", before, after)
                .failedWith(ExitCode.BAD_DATA, dir.resolve("a") + " is of a later run", "move");

        assertThat(files()).isEqualTo(untouched);
    }
}
