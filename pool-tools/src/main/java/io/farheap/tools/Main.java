package io.farheap.tools;

import io.farheap.tools.info.InfoCommand;
import io.farheap.tools.report.Console;
import io.farheap.tools.report.Terminal;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;

/** Entry of the {@code farheap} command. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        StandardOutput output = new StandardOutput(new FileOutputStream(FileDescriptor.out));
        PrintWriter out = output.writer();
        PrintWriter err = new PrintWriter(System.err, true);
        int ended = run(out, err, Terminal.showsColours(), args);
        out.flush();
        int exitCode = output.exitCode(ended, err);
        // To log its exit, Java looks for a logging provider in every jar; so a plain end is left
        // to main's return, which waits for threads.
        if (exitCode != ExitCode.OK || isAnyThreadLeft()) {
            System.exit(exitCode);
        }
    }

    private static boolean isAnyThreadLeft() {
        Thread[] threads = new Thread[2 * Thread.activeCount() + 1];
        int count = Thread.enumerate(threads);
        for (int i = 0; i < count; i++) {
            if (!threads[i].isDaemon() && threads[i] != Thread.currentThread()) {
                return true;
            }
        }
        return false;
    }

    /** Runs one command and returns its exit code; everything it says goes to the two writers. */
    static int run(PrintWriter out, PrintWriter err, boolean colours, String... args) {
        if (AgentCommand.isMeantBy(List.of(args))) {
            return agent(err, args);
        }
        if (isPlainInfo(args)) {
            return info(Path.of(args[1]), new Console(out, err, colours));
        }
        IExecutionExceptionHandler failures =
                (thrown, command, parsed) -> Failure.of(thrown).report(command.getErr());
        IParameterExceptionHandler wrongArguments =
                (thrown, unused) -> {
                    String command = thrown.getCommandLine().getCommandSpec().qualifiedName(" ");
                    return Failure.wrongUse(
                                    thrown.getMessage().replaceFirst("^Error: ", "")
                                            + "; see \""
                                            + command
                                            + " --help\"")
                            .report(thrown.getCommandLine().getErr());
                };
        return Commands.neededFor(List.of(args))
                .registerConverter(Path.class, new PathConverter())
                .setOut(out)
                .setErr(err)
                .setColorScheme(Help.defaultColorScheme(colours ? Ansi.ON : Ansi.OFF))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler(failures)
                .setParameterExceptionHandler(wrongArguments)
                .execute(args);
    }

    /**
     * The command that is typed most. To find out by reflection what it may be told, and that it is
     * told nothing but a file, takes longer than to look at a pool.
     */
    private static boolean isPlainInfo(String... args) {
        return args.length == 2 && args[0].equals("info") && PathConverter.isPlainName(args[1]);
    }

    private static int info(Path file, Console console) {
        try {
            return InfoCommand.of(file, console).call();
        } catch (IOException | RuntimeException e) {
            return Failure.of(e).report(console.err());
        }
    }

    private static int agent(PrintWriter err, String... args) {
        try {
            return AgentCommand.serve(List.of(args));
        } catch (RuntimeException e) {
            return Failure.of(e).report(err);
        }
    }
}
