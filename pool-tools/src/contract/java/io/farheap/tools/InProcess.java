package io.farheap.tools;

import java.io.PrintWriter;

/** The farheap command inside this process, for tests that would start hundreds. */
public final class InProcess {
    private InProcess() {}

    /** Its exit code. */
    public static int farheap(PrintWriter out, PrintWriter err, String... words) {
        return Main.run(out, err, false, words);
    }
}
