package io.farheap.it.interop;

import io.farheap.tools.LocalMachine;
import io.farheap.tools.Main;
import java.util.List;

/** The {@code farheap} command in a process of its own, answered as a native one is. */
final class NativeTools {
    private NativeTools() {}

    static NativeJudge.Answer farheap(List<String> words) {
        return NativeJudge.run(
                LocalMachine.java(Main.class.getName(), words.toArray(String[]::new))
                        .toArray(String[]::new));
    }

    static NativeJudge.Answer farheap(String... words) {
        return farheap(List.of(words));
    }

    static NativeJudge.Answer pmempool(String... words) {
        String[] command = new String[words.length + 1];
        command[0] = "pmempool";
        System.arraycopy(words, 0, command, 1, words.length);
        return NativeJudge.run(command);
    }
}
