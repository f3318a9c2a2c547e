package io.farheap.memory;

import java.io.IOException;
import java.util.List;

/** Other programs of this machine. */
public final class Programs {
    private Programs() {}

    /**
     * Starts one; its streams are pipes.
     *
     * @param command the program and its arguments
     * @throws IOException where the system refuses
     */
    public static Process start(List<String> command) throws IOException {
        return SystemCalls.current().start(command);
    }
}
