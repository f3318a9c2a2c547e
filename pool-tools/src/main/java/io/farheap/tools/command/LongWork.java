package io.farheap.tools.command;

import io.farheap.replication.config.Pacer;
import io.farheap.tools.report.Progress;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * What a user may say of work that takes long: how fast it goes at most, and what is told of it.
 */
public final class LongWork {
    private static final long MIB = 1 << 20;

    /** With less a pause after one block would last for minutes: a unit was forgotten. */
    private static final long LEAST = 64 << 10;

    private Long limit;

    @Option(
            names = "--limit",
            paramLabel = "RATE",
            converter = SizeConverter.class,
            description =
                    "deal with at most so many bytes of the pool a second, such as 50M, and leave"
                            + " disks and network to others for the rest of the time; 64K at"
                            + " least")
    void setLimit(long bytesPerSecond) {
        if (bytesPerSecond < LEAST) {
            throw new ParameterException(
                    command.commandLine(),
                    "--limit is "
                            + bytesPerSecond
                            + " bytes a second, and 64K are the least: give it with a unit, such as"
                            + " 50M");
        }
        limit = bytesPerSecond;
    }

    @Option(
            names = "--progress",
            paramLabel = "HOW",
            converter = ProgressStyle.Converter.class,
            description =
                    "how far it is, on standard error: lines (one in 5 seconds at most, and one when"
                            + " it is done), json (an object a line) or none; not given: a bar on a"
                            + " terminal, and none elsewhere")
    private ProgressStyle style;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    private Pacer pacer;

    /** Work that nobody wants to know of, as fast as it goes. */
    public static LongWork untold() {
        LongWork work = new LongWork();
        work.style = ProgressStyle.NONE;
        return work;
    }

    /** The rate, which all work of the command shares. */
    public synchronized Pacer pacer() {
        if (pacer == null) {
            pacer = limit == null ? Pacer.UNLIMITED : Pacer.of(limit);
        }
        return pacer;
    }

    /**
     * A task begins.
     *
     * @param task a word or two
     * @param bytes how many there are in all
     */
    public Progress begin(String task, long bytes) {
        if (style == null) {
            return Progress.start(task, "MiB", MIB, bytes);
        }
        return style == ProgressStyle.NONE
                ? Progress.NONE
                : Progress.lines(
                        command.commandLine().getErr(), style == ProgressStyle.JSON, task, bytes);
    }
}
