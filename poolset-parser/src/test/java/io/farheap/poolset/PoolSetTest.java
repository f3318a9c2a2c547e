package io.farheap.poolset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.poolset.PoolSet.Option;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PoolSetTest {
    private static final long M = 1 << 20;
    private static final String TEXT =
            """
            PMEMPOOLSET
            # the bank
            OPTION SINGLEHDR NOHDRS  # both
            8M /none/a.0   # first

            # copies
            REPLICA far bank.set
            REPLICA# near
            9M /none/b.0
            # end""";

    @TempDir Path dir;

    /** The sets that libpmemobj made pools of (docs/format.md#pool-replica-part). */
    @Test
    void poolSizesAreThoseOfLibpmemobj() {
        PoolSet normal =
                parse("PMEMPOOLSET\n8M /n/a\n8M /n/b\n9M /n/c\nREPLICA\n12M /n/d\n12M /n/e\n");
        assertThat(normal.poolSize()).isEqualTo(25_161_728);
        PoolSet single =
                parse(
                        "PMEMPOOLSET\nOPTION SINGLEHDR\n8M /n/a\n9M /n/b\nREPLICA\n8M /n/c\n8M /n/d\n");
        assertThat(single.poolSize()).isEqualTo(16_777_216);
    }

    @Test
    void everyPartGivesItsWholePagesBehindItsHeader() {
        PoolSet set = parse("PMEMPOOLSET\n8388609 /n/a\n2101247 /n/b\n2101248 /n/c\n");
        LocalReplica master = set.master();

        assertThat(set.imageSize(master, 0)).isEqualTo(8388608);
        assertThat(set.imageStart(0)).isZero();
        assertThat(set.imageSize(master, 1)).isEqualTo(2097152 - 4096);
        assertThat(set.imageStart(1)).isEqualTo(4096);
        assertThat(set.imageSize(master, 2)).isEqualTo(2101248 - 4096);
        assertThat(set.imageOffset(master, 2)).isEqualTo(8388608 + 2097152 - 4096);
        assertThat(set.replicaSize(master)).isEqualTo(8388608 + 2097152 - 4096 + 2101248 - 4096);
        assertThat(set.hasHeader(0)).isTrue();
        assertThat(set.hasHeader(1)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"SINGLEHDR, true", "NOHDRS, false"})
    void withoutPartHeadersAllPagesAreImage(Option option, boolean firstHasHeader) {
        PoolSet set = parse("PMEMPOOLSET\nOPTION " + option + "\n8M /n/a\n2M /n/b\n");

        assertThat(set.poolSize()).isEqualTo(10 * M);
        assertThat(set.hasHeader(0)).isEqualTo(firstHasHeader);
        assertThat(set.hasHeader(1)).isFalse();
        assertThat(set.imageStart(1)).isZero();
    }

    @Test
    void anUneditedSetIsWrittenAsItWasRead() {
        assertThat(parse(TEXT).toString()).isEqualTo(TEXT);
        assertThat(parse(TEXT))
                .isEqualTo(parse(TEXT))
                .hasSameHashCodeAs(parse(TEXT))
                .hasToString(TEXT);
        assertThat(parse(TEXT)).isNotEqualTo(parse(TEXT.replace("first", "one")));
    }

    @Test
    void anAddedReplicaComesLast() {
        PoolSet set = parse(TEXT).withReplica(new LocalReplica(List.of(part("/none/c", 8 * M))));

        assertThat(set.toString()).isEqualTo(TEXT + "\nREPLICA\n8M /none/c\n");
        assertThat(set.replicas()).hasSize(4);
        assertThat(parse(TEXT).withReplica(new RemoteReplica(null, "other", 0, "b.set")).toString())
                .endsWith("# end\nREPLICA other b.set\n");
    }

    @Test
    void aRemovedReplicaLeavesTheCommentsOfOthers() {
        assertThat(parse(TEXT).withoutReplica(1).toString())
                .isEqualTo(TEXT.replace("REPLICA far bank.set\n", ""));
        assertThat(parse(TEXT).withoutReplica(2).toString())
                .isEqualTo(TEXT.replace("REPLICA# near\n9M /none/b.0\n", ""));
    }

    @Test
    void withoutTheMasterTheNextLocalReplicaIsIt() {
        PoolSet set = parse(TEXT).withoutReplica(1).withoutReplica(0);

        assertThat(set.master().parts()).containsExactly(part("/none/b.0", 9 * M));
        assertThat(set.replicas()).hasSize(1);
        assertThatThrownBy(() -> parse(TEXT).withoutReplica(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("local");
        assertThatThrownBy(() -> parse(TEXT).withoutReplica(3))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void aReplacedPartKeepsItsPlaceAndComment() {
        assertThat(parse(TEXT).withPart(0, 0, part("/none/z", 1025 * M)).toString())
                .isEqualTo(TEXT.replace("8M /none/a.0   # first", "1025M /none/z # first"));
        assertThat(parse(TEXT).withPart(2, 0, part("/none/z", 8 * M + 1)).toString())
                .isEqualTo(TEXT.replace("9M /none/b.0", "8388609 /none/z"));
        assertThat(
                        parse("PMEMPOOLSET\n8M /a # gr\u00fcn\n")
                                .withPart(0, 0, part("/\u00fc", M))
                                .toString())
                .isEqualTo("PMEMPOOLSET\n1M /\u00fc # gr\u00fcn\n");
        assertThatThrownBy(() -> parse(TEXT).withPart(1, 0, part("/none/z", M)))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void optionsComeAndGo() {
        PoolSet one = parse(TEXT).withoutOption(Option.NOHDRS);
        assertThat(one.toString())
                .isEqualTo(
                        TEXT.replace("OPTION SINGLEHDR NOHDRS  # both", "OPTION SINGLEHDR # both"));
        PoolSet none = one.withoutOption(Option.SINGLEHDR);
        assertThat(none.toString())
                .isEqualTo(TEXT.replace("OPTION SINGLEHDR NOHDRS  # both", "# both"));
        assertThat(none.withOption(Option.NOHDRS).toString())
                .startsWith("PMEMPOOLSET\nOPTION NOHDRS\n# the bank\n");
        assertThat(one.withOption(Option.SINGLEHDR)).isEqualTo(one);
    }

    @Test
    void aSetMadeFromNothingIsWrittenAndReadBack() {
        PoolSet set =
                PoolSet.of(
                        Set.of(Option.SINGLEHDR),
                        List.of(
                                new LocalReplica(
                                        List.of(part("/none/a", 8 * M), part("/none/b", 3000))),
                                new RemoteReplica("ada", "fe80::1", 22, "b.set"),
                                new LocalReplica(List.of(part("/none/c", 8L << 30)))));

        assertThat(set.toString())
                .isEqualTo(
                        """
                        PMEMPOOLSET
                        OPTION SINGLEHDR
                        8M /none/a
                        3000 /none/b
                        REPLICA ada@[fe80::1]:22 b.set
                        REPLICA
                        8G /none/c
                        """);
        assertThat(parse(set.toString())).isEqualTo(set);
    }

    @Test
    void whatAPoolsetFileCannotSayIsRefused() {
        for (String path : List.of("/a b", "/a#b", "/a\nb", "/a\tb")) {
            assertThatThrownBy(() -> parse(TEXT).withPart(0, 0, part(path, M)))
                    .as(path)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("blanks");
        }
    }

    @Test
    void aPlainPoolFileWithABlankInItsNameIsASetThatCannotBeWritten() {
        PoolSet set = PoolSet.of(Set.of(), List.of(new LocalReplica(List.of(part("/a b", 8 * M)))));

        assertThat(set.poolSize()).isEqualTo(8 * M);
        assertThat(set).hasToString("PMEMPOOLSET\n8M /a b\n");
        assertThatThrownBy(() -> PoolSetWriter.toBytes(set))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("/a b");
    }

    @Test
    void aCarriageReturnAtTheEndOfAPathIsKept() {
        PoolSet set = parse("PMEMPOOLSET\n8M /none/a\r");
        PoolSet longer = set.withReplica(new RemoteReplica(null, "far", 0, "b.set"));

        assertThat(set.master().parts()).containsExactly(part("/none/a\r", 8 * M));
        assertThat(parse(longer.toString())).isEqualTo(longer);
        assertThat(longer.master()).isEqualTo(set.master());
        PoolSet moved = longer.withPart(0, 0, part("/none/b\r", M));
        assertThat(parse(moved.toString()).master()).isEqualTo(moved.master());
    }

    @Test
    void writingReplacesTheFileAtOnceAndKeepsItsMode() throws IOException {
        Path file = Files.writeString(dir.resolve("a.set"), "old");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw----"));
        Path link = Files.createSymbolicLink(dir.resolve("link.set"), file);

        PoolSetWriter.write(parse(TEXT), link);

        assertThat(file).hasContent(TEXT);
        assertThat(Files.isSymbolicLink(link)).isTrue();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-rw----");
        try (var entries = Files.list(dir)) {
            assertThat(entries).containsExactlyInAnyOrder(file, link);
        }
    }

    private static Part part(String path, long size) {
        return Part.file(Path.of(path), size);
    }

    private static PoolSet parse(String text) {
        return PoolSetParser.parse("a.set", text);
    }
}
