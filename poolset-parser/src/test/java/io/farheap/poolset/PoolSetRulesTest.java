package io.farheap.poolset;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PoolSetRulesTest {
    @TempDir Path dir;

    @Test
    void acceptsWhatLibpmemobjAccepts() {
        passes(PoolSetRules::checkLocal, "8M /n/a\nREPLICA\n8M /n/b\nREPLICA far b.set\n");
        passes(PoolSetRules::checkLocal, "OPTION SINGLEHDR\n8M " + dir + "\n");
        passes(PoolSetRules::checkTarget, "OPTION NOHDRS\n8M /n/a\n");
    }

    @Test
    void refusesNohdrsForALocalSet() {
        fails(
                PoolSetRules::checkLocal,
                "8M /n/a\nOPTION SINGLEHDR NOHDRS\n",
                "a.set:3:1: the NOHDRS poolset option is not supported for local poolsets");
    }

    @Test
    void refusesDirectoriesWithHeaders() {
        fails(
                PoolSetRules::checkLocal,
                "8M " + dir + "\n",
                "a.set:2:1: directory based pools are not supported for poolsets with headers");
    }

    @Test
    void refusesWhatIsTooSmall() {
        fails(
                PoolSetRules::checkLocal,
                "7M /n/a\n",
                "a.set:2:1: net pool size 7340032 smaller than 8388608");
        fails(
                PoolSetRules::checkLocal,
                "8M /n/a\nREPLICA\n6M /n/b\n2M /n/c\n",
                "a.set:3:1: net pool size 8384512 smaller than 8388608");
        fails(
                PoolSetRules::checkLocal,
                "OPTION SINGLEHDR\n4M " + dir + "\n",
                "a.set:3:1: reservation pool size 4194304 smaller than 8388608");
        fails(
                PoolSetRules::checkTarget,
                "8M /n/a\n2097151 /n/b\n",
                "a.set:3:1: size 2097151 smaller than 2097152");
    }

    @Test
    void refusesOneFileForTwoParts() {
        fails(
                PoolSetRules::checkLocal,
                "8M /n/a\nREPLICA\n8M /n/x/../a\n",
                "a.set:4:1: the same file is used twice: /n/x/../a");
    }

    @Test
    void refusesOneFileByTwoPaths() throws IOException {
        Path real = Files.createDirectory(dir.resolve("real"));
        Path link = Files.createSymbolicLink(dir.resolve("link"), real);
        refusedTwice(real.resolve("new"), link.resolve("new"));
        Path file = Files.createFile(real.resolve("file"));
        refusedTwice(file, Files.createSymbolicLink(dir.resolve("other"), file));
        refusedTwice(file, Files.createLink(dir.resolve("hard"), file));
        passes(
                PoolSetRules::checkLocal,
                "8M " + file + "\nREPLICA\n8M " + link.resolve("new") + "\n");
    }

    private void refusedTwice(Path one, Path other) {
        fails(
                PoolSetRules::checkLocal,
                "8M " + one + "\nREPLICA\n8M " + other + "\n",
                "a.set:4:1: the same file is used twice: " + other);
    }

    @Test
    void refusesOneRemoteReplicaTwice() {
        fails(
                PoolSetRules::checkLocal,
                "8M /n/a\nREPLICA ada@far b.set\nREPLICA ada@far b.set\n",
                "a.set:4:1: the same remote replica is used twice: ada@far b.set");
        fails(
                PoolSetRules::checkLocal,
                "8M /n/a\nREPLICA far b.set\nREPLICA\n8M /n/c\nREPLICA FAR ./x/../b.set\n",
                "a.set:6:1: the same remote replica is used twice: FAR ./x/../b.set");
        passes(
                PoolSetRules::checkLocal,
                "8M /n/a\nREPLICA far b.set\nREPLICA far c.set\nREPLICA near b.set\n"
                        + "REPLICA far:2 b.set\nREPLICA ada@far b.set\n");
    }

    @Test
    void refusesReplicasOfAReplica() {
        fails(
                PoolSetRules::checkTarget,
                "8M /n/a\nREPLICA far b.set\n",
                "a.set:3:1: a remote replica has replicas of its own");
    }

    private static void passes(Consumer<PoolSet> rules, String text) {
        assertThatCode(() -> rules.accept(parse(text))).doesNotThrowAnyException();
    }

    private static void fails(Consumer<PoolSet> rules, String text, String message) {
        assertThatThrownBy(() -> rules.accept(parse(text)))
                .isInstanceOf(PoolSetSyntaxException.class)
                .hasMessageStartingWith(message);
    }

    private static PoolSet parse(String text) {
        return PoolSetParser.parse("a.set", "PMEMPOOLSET\n" + text);
    }
}
