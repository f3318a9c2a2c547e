package io.farheap.it.support;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a command prints that refuses to remove or overwrite copies until that is agreed to. */
public final class Agreement {
    private static final Pattern COMMAND = Pattern.compile("to (?:lose them|agree): farheap (.*)");
    private static final Pattern WORD = Pattern.compile("\"[^\"]*\"|\\S+");

    private Agreement() {}

    /** The words behind {@code farheap} of the command that agrees; none where none is printed. */
    public static String[] words(String said) {
        Matcher command = COMMAND.matcher(said);
        return command.find()
                ? WORD.matcher(command.group(1))
                        .results()
                        .map(word -> word.group().replace("\"", ""))
                        .toArray(String[]::new)
                : new String[0];
    }
}
