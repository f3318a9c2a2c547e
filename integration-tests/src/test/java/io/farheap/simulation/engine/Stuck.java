package io.farheap.simulation.engine;

import java.util.List;

/** What should have happened did not, or nothing can happen any more; tells what each waits for. */
public final class Stuck extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final int FRAMES = 14;

    Stuck(String what, List<SimThread> threads) {
        super(what + describe(threads));
    }

    private static String describe(List<SimThread> threads) {
        StringBuilder text = new StringBuilder();
        for (SimThread each : threads) {
            if (!each.process().isDead() && !each.isOver()) {
                text.append("\n  ").append(each);
                StackTraceElement[] stack = each.thread().getStackTrace();
                int shown = 0;
                for (StackTraceElement frame : stack) {
                    String name = frame.getClassName();
                    if (!name.startsWith("java.") && !name.startsWith("jdk.") && shown < FRAMES) {
                        shown++;
                        text.append("\n      ").append(frame);
                    }
                }
            }
        }
        return text.toString();
    }
}
