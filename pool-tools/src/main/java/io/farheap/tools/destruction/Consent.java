package io.farheap.tools.destruction;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What the user agrees to by options of the command. */
public final class Consent {
    private static final String PLAIN = "[A-Za-z0-9_@%+=:,./-]+";
    private static final String HARMLESS_IN_QUOTES = "[^\"$`\\\\!]*";

    @Option(
            names = {"-y", "--yes"},
            description =
                    "ask nothing; needed where what is removed or overwritten is to be agreed"
                            + " to and nobody is at a terminal")
    private boolean yes;

    @Option(
            names = "--discard",
            paramLabel = "UUID",
            description =
                    "this copy may go though it has commits that no other copy has; the command"
                            + " that refuses prints its uuid. May be given several times")
    private List<String> discard = List.of();

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** Whether nothing is to be asked. */
    public boolean isGiven() {
        return yes;
    }

    /** The names of copies that may go. */
    Set<String> discarded() {
        return new TreeSet<>(discard);
    }

    /** The command as it was typed, with more options behind its name. */
    String command(List<String> more) {
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
