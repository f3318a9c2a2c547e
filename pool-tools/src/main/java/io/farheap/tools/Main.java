package io.farheap.tools;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;

/** Entry of the {@code farheap} command. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        System.exit(
                run(new PrintWriter(System.out, true), new PrintWriter(System.err, true), args));
    }

    /** Runs one command and returns its exit code; everything it says goes to the two writers. */
    static int run(PrintWriter out, PrintWriter err, String... args) {
        IExecutionExceptionHandler failures =
                (thrown, command, parsed) -> Failure.of(thrown).report(command.getErr());
        IParameterExceptionHandler wrongArguments =
                (thrown, unused) -> {
                    String command = thrown.getCommandLine().getCommandSpec().qualifiedName(" ");
                    return Failure.wrongUse(
                                    thrown.getMessage() + "; see \"" + command + " --help\"")
                            .report(thrown.getCommandLine().getErr());
                };
        CommandLine farheap = new CommandLine(new Farheap());
        farheap.getSubcommands().get("agent").setUnmatchedOptionsArePositionalParams(true);
        return farheap.setOut(out)
                .setErr(err)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler(failures)
                .setParameterExceptionHandler(wrongArguments)
                .execute(args);
    }
}
