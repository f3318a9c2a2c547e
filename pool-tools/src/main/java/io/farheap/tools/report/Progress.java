package io.farheap.tools.report;

import java.io.PrintWriter;

/** How far long work is, for whoever wants to know. Thread-safe. */
public interface Progress extends AutoCloseable {
    /** Nobody wants to know. */
    Progress NONE =
            new Progress() {
                @Override
                public void reached(long step) {}

                @Override
                public void advanced(long steps) {}

                @Override
                public void complete() {}

                @Override
                public void close() {}
            };

    /**
     * A bar on standard error; nothing at all where nobody looks at a terminal.
     *
     * @param task what is under way, a word or two
     * @param unit name of the unit shown
     * @param unitSize how many steps make one unit
     * @param steps how many steps there are in all
     */
    static Progress start(String task, String unit, long unitSize, long steps) {
        return Terminal.showsErrors()
                ? TerminalProgress.start(task, unit, unitSize, steps, System.err)
                : NONE;
    }

    /**
     * A line now and then, for a log or a program.
     *
     * @param task what is under way, a word or two
     * @param json whether each is a JSON object
     * @param bytes how many there are in all
     */
    static Progress lines(PrintWriter out, boolean json, String task, long bytes) {
        return new ProgressLines(out, json, task, bytes, System::nanoTime);
    }

    /** So many steps are done by now. */
    void reached(long step);

    /** So many more steps are done. */
    void advanced(long steps);

    /** All that was to be done is done: what was counted may be less, as pages that are skipped. */
    void complete();

    @Override
    void close();
}
