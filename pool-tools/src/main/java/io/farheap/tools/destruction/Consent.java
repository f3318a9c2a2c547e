package io.farheap.tools.destruction;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What the user agrees to by options of the command. */
public class Consent {
    private static final String PLAIN = "[A-Za-z0-9_@%+=:,./-]+";
    private static final String HARMLESS_IN_QUOTES = "[^\"$`\\\\!]*";

    @Option(
            names = {"-y", "--yes"},
            description =
                    "ask nothing; needed where what is removed or overwritten is to be agreed"
                            + " to and nobody is at a terminal")
    private boolean yes;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** Whether nothing is to be asked. */
    public final boolean isGiven() {
        return yes;
    }

    /** The names of copies that may go: none, where the command removes no copy. */
    Set<String> discarded() {
        return Set.of();
    }

    /** The command as it was typed, with more options behind its name. */
    final String command(List<String> more) {
        CommandSpec whole = command.root();
        List<String> typed = whole.commandLine().getParseResult().originalArgs();
        List<String> words = new ArrayList<>(List.of(whole.name()));
        for (String word : typed) {
            words.add(quoted(word));
            if (words.size() == 2) {
                more.stream().map(Consent::quoted).forEach(words::add);
            }
        }
        return String.join(" ", words);
    }

    private static String quoted(String word) {
        if (word.matches(PLAIN)) {
            return word;
        }
        return word.matches(HARMLESS_IN_QUOTES)
                ? "\"" + word + "\""
                : "'" + word.replace("'", "'\\''") + "'";
    }
}
