package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.layout.Descriptor;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.PoolSource;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What removes or overwrites copies says what they hold, and loses no last one unasked. */
class DestructionTest {
    @TempDir private Path dir;

    private Path set(String name, String lines) throws IOException {
        return new PoolSets(dir).write(name, lines);
    }

    private Path pool(String name, String lines) throws IOException {
        return new PoolSets(dir).create(name, lines, DestructionTest::commit);
    }

    private static void commit(ObjectPool pool) {
        pool.transaction(tx -> tx.setLong(pool.root(64), 0, tx.getLong(pool.root(64), 0) + 1));
    }

    private static String uuid(Path pool, int replica) {
        return PoolInspection.passing(PoolSource.of(pool).existing())
                .replicas()
                .get(replica)
                .get(0)
                .header()
                .uuid()
                .toString();
    }

    private List<String> files() throws IOException {
        try (Stream<Path> all = Files.list(dir)) {
            return all.map(file -> file.getFileName().toString())
                    .filter(name -> !name.equals("a.disk-journal")) // on an ordinary disk
                    .sorted()
                    .toList();
        }
    }

    @Test
    void theLastCopyGoesOnlyByName() throws IOException {
        Path set = pool("bank.set", "8M @a\n8M @b\n");
        String uuid = uuid(set, 0);
        List<String> before = files();
        String command = "farheap rm --discard=" + uuid + " -y " + set;

        Run refused = Run.farheap("rm", "-y", set);

        refused.failedWith(
                ExitCode.WRONG_USE, "replica 0 (" + dir.resolve("a"), "number ", command);
        assertThat(refused.out())
                .contains(
                        "what becomes of it",
                        "16.0 MiB",
                        uuid,
                        "is removed, and its commits are lost");
        assertThat(files()).isEqualTo(before);
        Run.farheap("rm", "-y", "--discard=" + uuid, set).succeeded();
        assertThat(files()).containsExactly("bank.set");
    }

    /** As that of a replica whose journal was left behind: nobody else may have its commits. */
    @Test
    void contentWithoutANumberGoesOnlyByName() throws IOException {
        Path set = pool("bank.set", "8M @a\n8M @b\n");
        try (RandomAccessFile file = new RandomAccessFile(dir.resolve("a").toFile(), "rw")) {
            file.seek(Descriptor.RUN_ID);
            file.writeLong(0);
        }
        List<String> before = files();

        for (String command : List.of("rm", "create -f")) {
            List<String> words = new ArrayList<>(List.of(command.split(" ")));
            words.addAll(List.of("-y", set.toString()));
            Run.farheap(words.toArray())
                    .failedWith(
                            ExitCode.WRONG_USE,
                            "content, and no number that tells of when",
                            "--discard=" + uuid(set, 0));
        }
        assertThat(Run.farheap("create", set).err()).doesNotContain("create -f");
        assertThat(files()).isEqualTo(before);
    }

    @Test
    void agreementIsNeededWhereNobodyCanBeAsked() throws IOException {
        Path set = pool("bank.set", "8M @a\n");
        String name = "--discard=" + uuid(set, 0);
        List<String> before = files();

        Run.farheap("rm", name, set)
                .failedWith(ExitCode.WRONG_USE, "nobody", "farheap rm --yes " + name + " " + set);

        assertThat(files()).isEqualTo(before);
        Run.agreeing("rm", set).succeeded();
        assertThat(files()).containsExactly("bank.set");
    }

    @Test
    void aSlipInTheNameIsNoAgreement() throws IOException {
        Path set = pool("bank.set", "8M @a\n");
        List<String> before = files();

        Run.farheap("rm", "-y", "--discard=00000000-0000-0000-0000-000000000000", set)
                .failedWith(ExitCode.WRONG_USE, "names none of the copies", uuid(set, 0));

        assertThat(files()).isEqualTo(before);
    }

    /** Which of two equal ones is named does not matter; of two that differ both have to be. */
    @Test
    void ofEqualCopiesOneIsNamed() throws IOException {
        Path set = pool("bank.set", "8M @a\nREPLICA\n8M @b\n");

        Run.farheap("rm", "-y", "--discard=" + uuid(set, 1), set).succeeded();
        assertThat(files()).containsExactly("bank.set");

        pool("bank.set", "8M @a\nREPLICA\n8M @b\n");
        byte[] older = Files.readAllBytes(dir.resolve("b"));
        try (ObjectPool pool = ObjectPool.open(set, "bank")) {
            commit(pool);
        }
        Files.write(dir.resolve("b"), older);
        Run.farheap("rm", "-y", "--discard=" + uuid(set, 0), set)
                .failedWith(ExitCode.WRONG_USE, "replica 1", "--discard=" + uuid(set, 1));
        Run.agreeing("rm", set).succeeded();
        assertThat(files()).containsExactly("bank.set");
    }

    @Test
    void anAnswerAgreesToTheRemovalOfWhatIsNamed() throws IOException {
        Path set = pool("bank.set", "8M @a\n");
        List<String> before = files();
        String name = "--discard=" + uuid(set, 0);

        answering("y\n", "rm", "-i", set).failedWith(ExitCode.WRONG_USE, name);
        answering("n\n", "rm", "-i", name, set).succeeded();
        assertThat(files()).isEqualTo(before);

        answering("y\n", "rm", "-i", name, set).succeeded();
        assertThat(files()).containsExactly("bank.set");
    }

    private static Run answering(String answers, Object... words) {
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream(answers.getBytes(StandardCharsets.UTF_8)));
        try {
            return Run.farheap(words);
        } finally {
            System.setIn(before);
        }
    }

    @Test
    void creationReplacesNoPoolUnasked() throws IOException {
        Path set = pool("bank.set", "8M @a\n");
        byte[] before = Files.readAllBytes(dir.resolve("a"));

        Run.farheap("create", "-f", set)
                .failedWith(ExitCode.WRONG_USE, "farheap create --yes --discard=" + uuid(set, 0));
        Run.farheap("create", "-f", "-y", set).failedWith(ExitCode.WRONG_USE, uuid(set, 0));

        assertThat(Files.readAllBytes(dir.resolve("a"))).isEqualTo(before);
        Run.agreeing("create", "-f", set).succeeded();
        assertThat(Files.readAllBytes(dir.resolve("a"))).isNotEqualTo(before);
    }

    @Test
    void aPoolWhoseCreationNeverEndedHasNothingToLose() throws IOException {
        Path set = set("bank.set", "8M @a\n");
        Files.write(dir.resolve("a"), new byte[8 << 20]);

        Run.farheap("rm", set).succeeded();

        assertThat(files()).containsExactly("bank.set");
    }

    @Test
    void transformRemovesReplicasWhereThatIsAgreedTo() throws IOException {
        Path set = pool("bank.set", "8M @a\nREPLICA\n8M @b\n");
        Path less = set("less.set", "8M @a\n");
        List<String> before = files();

        Run refused = Run.farheap("transform", set, less);

        refused.failedWith(
                ExitCode.WRONG_USE, "nobody", "farheap transform --yes " + set + " " + less);
        assertThat(refused.out()).contains("what becomes of it", uuid(set, 1), "is removed\n");
        assertThat(files()).isEqualTo(before);
        Run.farheap("transform", "-y", set, less).succeeded();
        assertThat(files()).containsExactly("a", "bank.set", "less.set");
    }

    /** What is left of it may be newer than all that is whole. */
    @Test
    void transformRemovesARestOfAReplicaByNameOnly() throws IOException {
        Path set = pool("bank.set", "8M @a\nREPLICA\n8M @b\n8M @c\n");
        Path less = set("less.set", "8M @a\n");
        String uuid = uuid(set, 1);
        Files.delete(dir.resolve("b"));
        List<String> before = files();

        Run.farheap("transform", "-y", set, less)
                .failedWith(ExitCode.WRONG_USE, "replica 1", "transform --discard=" + uuid);

        assertThat(files()).isEqualTo(before);
        Run.agreeing("transform", set, less).succeeded();
        assertThat(files())
                .filteredOn(name -> !name.equals("b.disk-journal")) // nothing says whose it is
                .containsExactly("a", "bank.set", "less.set");
    }

    /** As many copies as before, with the same commits. */
    @Test
    void transformMovesAReplicaUnasked() throws IOException {
        Path set = pool("bank.set", "8M @a\nREPLICA\n8M @b\n");
        Path moved = set("moved.set", "8M @a\nREPLICA\n8M @c\n");
        Run.farheap("transform", set, moved).succeeded();
        assertThat(files()).containsExactly("a", "bank.set", "c", "moved.set");
    }
}
