package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One run of the command inside this process.
 *
 * @param exitCode its exit code
 * @param out what it wrote to standard output
 * @param err what it wrote to standard error
 */
record Run(int exitCode, String out, String err) {
    private static final Pattern AGREEMENT =
            Pattern.compile("to (?:lose them|agree): farheap (.*)");
    private static final Pattern WORD = Pattern.compile("\"[^\"]*\"|\\S+");

    static Run farheap(Object... arguments) {
        return run(false, arguments);
    }

    /**
     * As somebody who agrees: where the command refuses to remove copies, types what its message
     * has for that.
     */
    static Run agreeing(Object... arguments) {
        Run refused = farheap(arguments);
        Matcher agreement = AGREEMENT.matcher(refused.err);
        if (!agreement.find()) {
            return refused;
        }
        assertThat(refused.exitCode).isEqualTo(ExitCode.WRONG_USE);
        assertThat(refused.err).contains("nothing was changed");
        return farheap(
                WORD.matcher(agreement.group(1))
                        .results()
                        .map(word -> word.group().replace("\"", ""))
                        .toArray());
    }

    /** As on a terminal that shows colours. */
    static Run inColour(Object... arguments) {
        return run(true, arguments);
    }

    private static Run run(boolean colours, Object... arguments) {
        String[] args = new String[arguments.length];
        for (int i = 0; i < args.length; i++) {
            args[i] = arguments[i].toString();
        }
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode =
                Main.run(new PrintWriter(out, true), new PrintWriter(err, true), colours, args);
        return new Run(exitCode, out.toString(), err.toString());
    }

    /** It ended well and complained about nothing. */
    Run succeeded() {
        assertThat(err).isEmpty();
        assertThat(exitCode).isZero();
        return this;
    }

    /** It ended with this code and one sentence, no stack trace. */
    Run failedWith(int code, String... parts) {
        assertThat(err).startsWith("farheap: ").doesNotContain("Exception", "\tat ");
        for (String part : parts) {
            assertThat(err).contains(part);
        }
        assertThat(err.lines()).hasSize(1);
        assertThat(exitCode).isEqualTo(code);
        return this;
    }
}
