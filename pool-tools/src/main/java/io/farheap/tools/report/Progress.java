package io.farheap.tools.report;

import java.io.PrintStream;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/**
 * A progress bar on standard error; nothing at all where nobody looks at a terminal. Thread-safe.
 */
public final class Progress implements AutoCloseable {
    private static final int REDRAW_MILLIS = 100;

    private final ProgressBar bar;

    private Progress(ProgressBar bar) {
        this.bar = bar;
    }

    /**
     * @param task what is under way, a word or two
     * @param unit name of the unit shown
     * @param unitSize how many steps make one unit
     * @param steps how many steps there are in all
     */
    public static Progress start(String task, String unit, long unitSize, long steps) {
        return new Progress(
                Terminal.showsErrors() ? bar(task, unit, unitSize, steps, System.err) : null);
    }

    private static ProgressBar bar(
            String task, String unit, long unitSize, long steps, PrintStream out) {
        return new ProgressBarBuilder()
                .setTaskName(task)
                .setUnit(" " + unit, unitSize)
                .setInitialMax(steps)
                .setUpdateIntervalMillis(REDRAW_MILLIS)
                .setStyle(ProgressBarStyle.ASCII)
                .setConsumer(new ConsoleProgressBarConsumer(out))
                .build();
    }

    /** So many steps are done by now. */
    public void reached(long step) {
        if (bar != null) {
            bar.stepTo(step);
        }
    }

    /** So many more steps are done. */
    public void advanced(long steps) {
        if (bar != null) {
            bar.stepBy(steps);
        }
    }

    /** All that was to be done is done: what was counted may be less, as pages that are skipped. */
    public void complete() {
        if (bar != null) {
            bar.stepTo(bar.getMax());
        }
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
