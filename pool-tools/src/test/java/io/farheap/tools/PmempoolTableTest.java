package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** The table of pmempool's commands and options: nothing is missing, nothing is invented. */
class PmempoolTableTest {
    private static final Path TABLE = Path.of("../docs/pmempool.md");
    private static final Pattern COMMAND = Pattern.compile("`farheap ([^`]*)`");

    /** pmempool's options by command, of its own help. */
    private static final List<String> OPTIONS =
            List.of(
                    "info: v f n x d s r w m g B z e u k l R S O t E o A a H Z C T b p",
                    "check: r y d b a q v",
                    "create: s M m w i b f v l",
                    "rm: s a l r f i v",
                    "sync: b d v",
                    "transform: d v",
                    "feature: e d q",
                    "dump: o b r c",
                    "convert:");

    private record Row(String pmempool, String farheap, String how, String why) {}

    private static List<Row> rows() throws IOException {
        List<Row> rows = new ArrayList<>();
        for (String line : Files.readAllLines(TABLE)) {
            String[] cells = line.split("\\|", -1);
            if (cells.length == 6 && !line.startsWith("| ---") && !line.startsWith("| pmempool")) {
                rows.add(
                        new Row(
                                cells[1].strip(),
                                cells[2].strip(),
                                cells[3].strip(),
                                cells[4].strip()));
            }
        }
        return rows;
    }

    @Test
    void everyCommandAndOptionOfPmempoolHasOneRow() throws IOException {
        Set<String> expected = new LinkedHashSet<>(List.of("-V", "-h"));
        for (String line : OPTIONS) {
            String command = line.substring(0, line.indexOf(':'));
            expected.add(command);
            for (String letter : line.substring(line.indexOf(':') + 1).strip().split(" ")) {
                expected.add(letter.isEmpty() ? command : command + " -" + letter);
            }
        }
        List<String> found =
                rows().stream()
                        .map(row -> row.pmempool().replaceFirst(",.*", ""))
                        .filter(name -> !name.isEmpty())
                        .toList();
        assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void everyCommandAndOptionNamedForFarheapExists() throws IOException {
        CommandSpec farheap = Commands.all().getCommandSpec();
        int named = 0;
        for (MatchResult match : COMMAND.matcher(Files.readString(TABLE)).results().toList()) {
            CommandSpec command = farheap;
            for (String word : match.group(1).split(" ")) {
                if (word.startsWith("-")) {
                    assertThat(command.findOption(word)).as(match.group()).isNotNull();
                } else {
                    CommandLine sub = command.subcommands().get(word);
                    assertThat(sub).as(match.group()).isNotNull();
                    command = sub.getCommandSpec();
                }
                named++;
            }
        }
        assertThat(named).isGreaterThan(80);
    }

    /** The letter is the same too, where the long name is. */
    @Test
    void optionsThatAreTheSameHaveTheSameLetter() throws IOException {
        CommandSpec farheap = Commands.all().getCommandSpec();
        for (Row row : rows()) {
            String[] theirs = row.pmempool().split(" |, ");
            if (theirs.length == 3 && row.farheap().contains(" " + theirs[2] + "`")) {
                CommandSpec command = farheap.subcommands().get(theirs[0]).getCommandSpec();
                assertThat(command.findOption(theirs[2]).names())
                        .as(row.pmempool())
                        .contains(theirs[1]);
            }
        }
    }

    @Test
    void everyRowSaysHow() throws IOException {
        for (Row row : rows()) {
            assertThat(row.how()).as(row.pmempool()).isIn("same", "better", "none");
            boolean answered = row.how().equals("same") || row.how().equals("better");
            assertThat(row.farheap().isEmpty()).as(row.pmempool()).isEqualTo(!answered);
            if (row.how().equals("better")) {
                assertThat(row.why()).as(row.pmempool()).isNotEmpty();
            }
        }
    }
}
