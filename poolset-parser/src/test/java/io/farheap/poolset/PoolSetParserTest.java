package io.farheap.poolset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.farheap.poolset.PoolSet.Option;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PoolSetParserTest {
    private static final long M = 1 << 20;

    @TempDir Path dir;

    @Test
    void readsPartsReplicasAndOptionsInTheirOrder() {
        PoolSet set =
                parse(
                        """
                        PMEMPOOLSET
                        # the bank
                        OPTION SINGLEHDR
                        8M /none/a.0   # first
                        \t9MiB\t/none/a.1

                        REPLICA ada@far:2222 sets/bank.set
                        REPLICA
                        16777216 /none/b.0
                        REPLICA far bank.set
                        """);

        assertThat(set.options()).containsExactly(Option.SINGLEHDR);
        assertThat(set.replicas())
                .containsExactly(
                        local(file("/none/a.0", 8 * M), file("/none/a.1", 9 * M)),
                        new RemoteReplica("ada", "far", 2222, "sets/bank.set"),
                        local(file("/none/b.0", 16 * M)),
                        new RemoteReplica(null, "far", 0, "bank.set"));
        assertThat(set.master()).isEqualTo(set.replicas().get(0));
        assertThat(set.localReplicas()).hasSize(2);
        assertThat(set.remoteReplicas()).hasSize(2);
        assertThat(set.lineOfPart(0, 1)).isEqualTo(5);
        assertThat(set.lineOfReplica(0)).isEqualTo(4);
        assertThat(set.lineOfReplica(1)).isEqualTo(7);
        assertThat(set.lineOfPart(2, 0)).isEqualTo(9);
    }

    @Test
    void takesCrLfAndALastLineWithoutEnd() {
        PoolSet set = parse("PMEMPOOLSET\r\n8M /none/a\r\nREPLICA far b.set");

        assertThat(set.master()).isEqualTo(local(file("/none/a", 8 * M)));
        assertThat(set.remoteReplicas()).hasSize(1);
    }

    @Test
    void dropsCommentsAtLineEndsAlsoWithoutABlank() {
        PoolSet set = parse("PMEMPOOLSET\n8M /none/a#one\nREPLICA#two\n8M /none/b # three\n");

        assertThat(set.localReplicas())
                .containsExactly(local(file("/none/a", 8 * M)), local(file("/none/b", 8 * M)));
    }

    @Test
    void keepsACommentInAnotherEncodingByteByByte() {
        byte[] latin =
                "PMEMPOOLSET\n# Gr\u00fc\u00dfe\n8M /none/a\n"
                        .getBytes(StandardCharsets.ISO_8859_1);

        assertThat(PoolSetWriter.toBytes(PoolSetParser.parse("a.set", latin))).isEqualTo(latin);
    }

    @Test
    void readsPathsAsUtf8() {
        Path path = Path.of("/none/gr\u00fc\u00df");

        assertThat(parse("PMEMPOOLSET\n8M " + path + "\n").master())
                .isEqualTo(local(Part.file(path, 8 * M)));
    }

    @ParameterizedTest
    @CsvSource({
        "7, 7",
        "7B, 7",
        "007, 7",
        "1K, 1024",
        "2KiB, 2048",
        "3kB, 3000",
        "1M, 1048576",
        "1MiB, 1048576",
        "2MB, 2000000",
        "1G, 1073741824",
        "1GiB, 1073741824",
        "1GB, 1000000000",
        "1T, 1099511627776",
        "1TiB, 1099511627776",
        "1TB, 1000000000000",
        "1P, 1125899906842624",
        "1PiB, 1125899906842624",
        "1PB, 1000000000000000",
        "9223372036854775807, 9223372036854775807",
        "8191P, 9222246136947933184"
    })
    void knowsTheUnits(String size, long bytes) {
        assertThat(parse("PMEMPOOLSET\n" + size + " /none/a\n").master().parts().get(0).size())
                .isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "0M",
                "-1",
                "+1",
                "1.5M",
                "M",
                "8m",
                "8k",
                "8KB",
                "8iB",
                "8 M",
                "8Mi",
                "8MiBB",
                "8E",
                "8192P",
                "9223372036854775808",
                "0x10",
                "8BB",
                "auto",
                "99999999999999999999999999999999999999"
            })
    void refusesWhatIsNoSize(String size) {
        String problem =
                size.contains(" ")
                        ? "invalid token found in the current line"
                        : "incorrect format of size";
        assertProblem(
                "PMEMPOOLSET\n" + size + " /none/a\n", 2, size.contains(" ") ? 5 : 1, problem);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "PMEMPOOL",
                "PMEMPOOLSET ",
                "PMEMPOOLSET#",
                " PMEMPOOLSET",
                "PMEMPOOLSETS",
                "#\nPMEMPOOLSET"
            })
    void refusesAnotherFirstLine(String start) {
        assertProblem(
                start + "\n8M /none/a\n", 1, 1, "the first line must be exactly 'PMEMPOOLSET'");
    }

    @Test
    void refusesAnEmptyFile() {
        assertProblem("", 1, 1, "the first line must be exactly 'PMEMPOOLSET'");
    }

    /** Each text follows PMEMPOOLSET and a good part line; so its first line is line 3. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "REPLICAS|3|8|exactly 'REPLICA' expected",
                "REPLICA:far b.set|3|8|exactly 'REPLICA' expected",
                "' '|3|2|invalid token found in the current line",
                "'   # text'|3|4|invalid token found in the current line",
                "8M|3|3|invalid token found in the current line",
                "8M /none/b c|3|12|invalid token found in the current line",
                "' OPTION SINGLEHDR'|3|2|incorrect format of size",
                "' REPLICA'|3|9|invalid token found in the current line",
                "8M /none/\u0000b|3|4|invalid token found in the current line",
                "REPLICA far b.set c|3|19|invalid token found in the current line",
                "REPLICA far|3|12|address of remote node and descriptor of remote pool set expected",
                "'REPLICA '|3|9|address of remote node and descriptor of remote pool set expected",
                "REPLICA # text|3|9|address of remote node and descriptor of remote pool set expected",
                "REPLICA far /b.set|3|13|incorrect descriptor (must be a relative path)",
                "REPLICA far: b.set|3|9|incorrect address of remote node",
                "REPLICA far:0 b.set|3|9|incorrect address of remote node",
                "REPLICA far:65536 b.set|3|9|incorrect address of remote node",
                "REPLICA far:ssh b.set|3|9|incorrect address of remote node",
                "REPLICA @far b.set|3|9|incorrect address of remote node",
                "REPLICA ada@ b.set|3|9|incorrect address of remote node",
                "REPLICA -oProxyCommand=x b.set|3|9|incorrect address of remote node",
                "REPLICA -l@far b.set|3|9|incorrect address of remote node",
                "REPLICA [fe80::1 b.set|3|9|incorrect address of remote node",
                "REPLICA [fe80::1]22 b.set|3|9|incorrect address of remote node",
                "0 /none/b|3|1|incorrect format of size",
                "AUTO /none/b|3|1|cannot determine size of a part",
                "8M none/b|3|4|incorrect path (must be an absolute one)",
                "9223372036854775807 /none/b|3|1|incorrect format of size",
                "REPLICA|4|1|no replica parts",
                "REPLICA~REPLICA~8M /none/b|4|1|no replica parts",
                "REPLICA far b.set~8M /none/b|4|1|unexpected parts for remote replica",
                "OPTION|3|7|missing option name",
                "'OPTION  # SINGLEHDR'|3|9|missing option name",
                "OPTION singlehdr|3|8|unknown option 'singlehdr'",
                "OPTION NOHDRS FAST|3|15|unknown option 'FAST'",
                "OPTIONAL|3|7|unknown option 'AL'",
            })
    void refusesEachMistakeWithItsPlace(String text, int line, int column, String problem) {
        String lines = text.replaceAll("^'|'$", "").replace('~', '\n');
        // "exactly 'REPLICA'" and the unknown options quote something themselves.
        assertProblem("PMEMPOOLSET\n8M /none/a\n" + lines + "\n", line, column, problem);
    }

    @Test
    void refusesAMasterWithoutParts() {
        assertProblem("PMEMPOOLSET\n", 2, 1, "no pool set parts");
        assertProblem("PMEMPOOLSET", 2, 1, "no pool set parts");
        assertProblem("PMEMPOOLSET\nREPLICA far b.set\n", 2, 1, "no pool set parts");
        assertProblem("PMEMPOOLSET\n# a\nREPLICA\n8M /none/b\n", 3, 1, "no pool set parts");
    }

    @Test
    void refusesAPathThatIsNoUtf8() {
        byte[] content = "PMEMPOOLSET\n8M /none/\u00fc\n".getBytes(StandardCharsets.ISO_8859_1);

        assertThatThrownBy(() -> PoolSetParser.parse("a.set", content))
                .isInstanceOf(PoolSetSyntaxException.class)
                .hasMessageContaining("a.set:2:4: invalid token found in the current line");
    }

    @Test
    void takesOptionsGluedToTheWordSeveralTimesAndTogether() {
        PoolSet set = parse("PMEMPOOLSET\nOPTIONSINGLEHDR\n8M /none/a\nOPTION SINGLEHDR NOHDRS\n");

        assertThat(set.options()).containsExactlyInAnyOrder(Option.SINGLEHDR, Option.NOHDRS);
        assertThat(set.hasConflictingOptions()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "far, , far, 0",
        "ada@far:22, ada, far, 22",
        "[fe80::1], , fe80::1, 0",
        "ada@[fe80::1]:65535, ada, fe80::1, 65535",
        "fe80::1, , fe80::1, 0",
        "::1, , ::1, 0"
    })
    void readsNodeAddresses(String node, String user, String host, int port) {
        assertThat(parse("PMEMPOOLSET\n8M /none/a\nREPLICA " + node + " b.set\n").remoteReplicas())
                .containsExactly(new RemoteReplica(user, host, port, "b.set"));
    }

    @Test
    void theMessageNamesFileLineColumnProblemAndWhatWasExpected() {
        PoolSetSyntaxException e =
                catchThrowableOfType(
                        PoolSetSyntaxException.class,
                        () -> PoolSetParser.parse("/sets/bank.set", "PMEMPOOLSET\n8X /none/a\n"));

        assertThat(e)
                .hasMessageStartingWith(
                        "/sets/bank.set:2:1: incorrect format of size '8X'; expected a")
                .hasMessageEndingWith(e.expected());
        assertThat(e.file()).isEqualTo("/sets/bank.set");
        assertThat(e.line()).isEqualTo(2);
        assertThat(e.column()).isEqualTo(1);
        assertThat(e.problem()).isEqualTo("incorrect format of size '8X'");
    }

    @Test
    void anExistingDirectoryMakesADirectorySet() {
        assertThat(parse("PMEMPOOLSET\n8M " + dir + "\n").isDirectorySet()).isTrue();
        assertThat(parse("PMEMPOOLSET\n8M " + dir + "/none\n").isDirectorySet()).isFalse();
    }

    @Test
    void refusesToMixDirectoriesAndFiles() {
        String text = "PMEMPOOLSET\n8M " + dir + "\nREPLICA\n8M /none/b\n";

        String mixed = ": cannot mix directories and files in a set";
        assertProblem(
                text,
                4,
                4,
                "/none/b is no directory, and the parts before it are directories" + mixed);
        String other = "PMEMPOOLSET\n8M /none/b\n8M " + dir + "\n";
        assertProblem(
                other, 3, 4, dir + " is a directory, and the parts before it are files" + mixed);
    }

    @Test
    void refusesOneDirectoryUnderTwoNames() throws IOException {
        Path link =
                Files.createSymbolicLink(
                        dir.resolve("link"), Files.createDirectory(dir.resolve("d")));
        String text = "PMEMPOOLSET\n8M " + dir.resolve("d") + "\n8M " + link + "\n";

        assertProblem(text, 3, 4, "cannot use the same directory twice");
    }

    @Test
    void readsFilesAndTellsPoolsetsFromOthers() throws IOException {
        Path set = Files.writeString(dir.resolve("a.set"), "PMEMPOOLSET\n8M /none/a\n");
        Path pool = Files.write(dir.resolve("a.pool"), new byte[4096]);

        assertThat(PoolSetParser.isPoolSet(set)).isTrue();
        assertThat(PoolSetParser.isPoolSet(pool)).isFalse();
        assertThat(PoolSetParser.parse(set).file()).isEqualTo(set.toString());
        assertThatThrownBy(() -> PoolSetParser.parse(pool))
                .isInstanceOf(PoolSetSyntaxException.class)
                .hasMessageStartingWith(
                        pool + ":1:1: the first line must be exactly 'PMEMPOOLSET'");
        assertThatThrownBy(() -> PoolSetParser.parse(dir.resolve("none")))
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void refusesAFileThatIsTooLarge() {
        byte[] content =
                ("PMEMPOOLSET\n#" + "x".repeat(PoolSetParser.MAX_FILE_BYTES))
                        .getBytes(StandardCharsets.UTF_8);

        assertThatThrownBy(() -> PoolSetParser.parse("a.set", content))
                .isInstanceOf(PoolSetSyntaxException.class)
                .hasMessageContaining("the file is too large");
    }

    private static void assertProblem(String text, int line, int column, String problem) {
        PoolSetSyntaxException e =
                catchThrowableOfType(PoolSetSyntaxException.class, () -> parse(text));

        assertThat(e).as(text).isNotNull();
        assertThat(e.getMessage()).startsWith("a.set:" + line + ":" + column + ": " + problem);
    }

    private static PoolSet parse(String text) {
        return PoolSetParser.parse("a.set", text);
    }

    private static Part file(String path, long size) {
        return Part.file(Path.of(path), size);
    }

    private static LocalReplica local(Part... parts) {
        return new LocalReplica(List.of(parts));
    }
}
