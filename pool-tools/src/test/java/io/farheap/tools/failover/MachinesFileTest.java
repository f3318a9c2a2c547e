package io.farheap.tools.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.poolset.RemoteReplica;
import io.farheap.tools.placement.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MachinesFileTest {
    private static final Path SAMPLE = Path.of("../config-samples/machines.json");

    @TempDir private Path dir;

    private Path file(String text) throws IOException {
        return Files.writeString(dir.resolve("machines.json"), text);
    }

    @Test
    void theSampleIsRight() throws IOException {
        List<MachinesFile.Entry> entries = MachinesFile.read(SAMPLE).entries();

        assertThat(entries.stream().map(entry -> entry.machine().node()))
                .containsExactly("a", "b", "c", "d", "e");
        assertThat(entries.get(1))
                .isEqualTo(
                        new MachinesFile.Entry(
                                new Machine(
                                        "b",
                                        "farheap@b:2222",
                                        "/srv/pools",
                                        "sets",
                                        Map.of("zone", "west", "rack", "w1"),
                                        null,
                                        null,
                                        ""),
                                new RemoteReplica("farheap", "b", 2222, "room.set")));
        assertThat(entries.get(2).machine().room()).isEqualTo(500L << 30);
        assertThat(entries.get(3).machine().weight()).isEqualTo(200);
        assertThat(entries.get(2).inspect()).isNull();
        assertThat(MachinesFile.read(SAMPLE).spread()).isEqualTo("zone");
    }

    @Test
    void aNodeIsCalledAsItsHostWhereNothingElseIsSaid() throws IOException {
        Path file = file("{\"machines\": [{\"address\": \"ada@h1:22\", \"directory\": \"/srv\"}]}");

        assertThat(MachinesFile.read(file).entries().get(0).machine())
                .isEqualTo(new Machine("h1", "ada@h1:22", "/srv", "", Map.of(), null, null, ""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "                                 | machine 1: \"address\" must be there, and a text",
                "\"address\": \"a b\"              | machine 1: \"address\" is no [user@]host[:port]",
                "\"address\": \"fe80::1\"          | \"node\" can't be \"fe80::1\"",
                "\"address\": \"a\"                | machine a: \"directory\" must be there",
                "\"address\": \"a\", \"directory\": \"srv\"   | \"directory\" can't be \"srv\": say an absolute",
                "\"address\": \"a\", \"directory\": \"/s v\"  | \"directory\" can't be \"/s v\"",
                "\"address\": \"a\", \"directory\": \"/s/../etc\" | \"directory\" can't be",
                "\"address\": \"a\", \"directory\": \"/s\", \"poolsets\": \"../x\" | under the agent's poolset directory",
                "\"address\": \"a\", \"directory\": \"/s\", \"inspect\": \"/etc/x\" | \"inspect\" can't be \"/etc/x\"",
                "\"address\": \"a\", \"directory\": \"/s#\" | \"directory\" can't be \"/s#\"",
                "\"address\": \"a\", \"directory\": \"/s\\u0000\" | \"directory\" can't be",
                "\"address\": \"a\", \"directory\": \"/s\", \"poolsets\": \"x#\" | \"poolsets\" can't be \"x#\"",
                "\"address\": \"a\", \"directory\": \"/s\", \"poolsets\": \"x/..\" | \"poolsets\" can't be \"x/..\"",
                "\"address\": \"a\", \"directory\": \"/s\", \"inspect\": \"r#.set\" | \"inspect\" can't be \"r#.set\"",
                "\"address\": \"a\", \"directory\": \"/s\", \"wait\": 2    | there is no field \"wait\"",
                "\"address\": \"a\", \"directory\": \"/s\", \"weight\": -1 | \"weight\" must be a number of GiB",
                "\"address\": \"a\", \"directory\": \"/s\", \"weight\": \"1\" | \"weight\" must be a number of GiB",
                "\"address\": \"a\", \"directory\": \"/s\", \"room\": \"much\" | \"room\" is no size, such as 500G",
                "\"address\": \"a\", \"directory\": \"/s\", \"room\": 5 | \"room\" must be a text",
                "\"address\": \"a\", \"directory\": \"/s\", \"room\": \"5G\", \"inspect\": \"r.set\" | either its agent says what is free",
                "\"address\": \"a\", \"directory\": \"/s\", \"labels\": [] | \"labels\" must be an object",
                "\"address\": \"a\", \"directory\": \"/s\", \"labels\": {\"zone\": 1} | the label zone must be a text",
                "\"address\": \"a\", \"address\": \"b\" | line 1, column",
            })
    void aMistakeIsASentence(String fields, String said) throws IOException {
        String text = fields == null ? "" : fields;
        Path file = file("{\"machines\": [{" + text + "}]}");

        assertRefused(file, said);
    }

    @Test
    void whatIsNoListOfMachinesIsRefused() throws IOException {
        assertRefused(
                file("{\"machines\": []}"), "it must be {\"spread\": LABEL, \"machines\": [...]}");
        assertRefused(file("[]"), "it must be");
        assertRefused(file(""), "it must be");
        assertRefused(file("{\"machines\": [1]}"), "\"address\" must be there");
        assertRefused(file("{\"machines\": [{}], \"zones\": 1}"), "it must be");
        assertRefused(file("{\"spread\": 1, \"machines\": [{}]}"), "\"spread\" must be a text");
        assertRefused(file("{\n\"machines\": ["), "line 2, column");
        String a = "{\"address\": \"a\", \"directory\": \"/s\"}";
        assertRefused(
                file("{\"machines\": [" + a + "," + a + "]}"),
                "machine a: there is another one named a");
    }

    /** It would have two copies of a pool. */
    @Test
    void oneMachineHasOneName() throws IOException {
        String a = "{\"address\": \"a\", \"directory\": \"/s\"}";
        String other = "{\"node\": \"%s\", \"address\": \"%s\", \"directory\": \"/t\"}";
        assertRefused(
                file("{\"machines\": [" + a + "," + other.formatted("A", "b") + "]}"),
                "machine A: there is another one named a, which differs in upper case only");
        for (String same : List.of("A", "ada@a", "a:22")) {
            assertRefused(
                    file("{\"machines\": [" + a + "," + other.formatted("b", same) + "]}"),
                    "machine b: its host and port are those of a: it is the same machine");
        }
        Path two = file("{\"machines\": [" + a + "," + other.formatted("b", "a:2222") + "]}");
        assertThat(MachinesFile.read(two).entries()).hasSize(2);
    }

    private void assertRefused(Path file, String said) {
        assertThatThrownBy(() -> MachinesFile.read(file))
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(Category.BAD_DATA))
                .hasMessageStartingWith(file + ": ")
                .hasMessageContaining(said);
    }
}
