package io.farheap.tools.report;

import java.io.PrintStream;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** A progress bar. */
final class TerminalProgress implements Progress {
    private static final int REDRAW_MILLIS = 100;

    private final ProgressBar bar;

    private TerminalProgress(ProgressBar bar) {
        this.bar = bar;
    }

    static Progress start(String task, String unit, long unitSize, long steps, PrintStream out) {
        return new TerminalProgress(
                new ProgressBarBuilder()
                        .setTaskName(task)
                        .setUnit(" " + unit, unitSize)
                        .setInitialMax(steps)
                        .setUpdateIntervalMillis(REDRAW_MILLIS)
                        .setStyle(ProgressBarStyle.ASCII)
                        .setConsumer(new ConsoleProgressBarConsumer(out))
                        .build());
    }

    @Override
    public void reached(long step) {
        bar.stepTo(step);
    }

    @Override
    public void advanced(long steps) {
        bar.stepBy(steps);
    }

    @Override
    public void complete() {
        bar.stepTo(bar.getMax());
    }

    @Override
    public void close() {
        bar.close();
    }
}
