package io.farheap.it.interop;

import io.farheap.tools.InProcess;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/** The {@code farheap} command, answered as a native one is. */
final class NativeTools {
    private NativeTools() {}

    static NativeJudge.Answer farheap(List<String> words) {
        return farheap(words.toArray(String[]::new));
    }

    static NativeJudge.Answer farheap(String... words) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode =
                InProcess.farheap(new PrintWriter(out, true), new PrintWriter(err, true), words);
        return new NativeJudge.Answer(exitCode, out.toString(), err.toString());
    }

    static NativeJudge.Answer pmempool(String... words) {
        String[] command = new String[words.length + 1];
        command[0] = "pmempool";
        System.arraycopy(words, 0, command, 1, words.length);
        return NativeJudge.run(command);
    }
}
