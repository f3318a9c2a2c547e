package io.farheap.tools.command;

import java.util.function.Supplier;

/**
 * Says on standard error how things are left when the process is told to end (SIGINT, SIGTERM)
 * while a command changes files; nothing once it is closed.
 */
public final class Interruption implements AutoCloseable {
    private final Thread hook;

    private Interruption(Thread hook) {
        this.hook = hook;
    }

    /**
     * From here on the sentence is said if the process ends.
     *
     * @param sentence looks at what is there then, and may remove it
     */
    public static Interruption says(Supplier<String> sentence) {
        Thread hook =
                new Thread(
                        () -> System.err.println("farheap: interrupted: " + sentence.get()),
                        "interruption");
        Runtime.getRuntime().addShutdownHook(hook);
        return new Interruption(hook);
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process ends already: it is said, and the command did not get to its end.
            Thread.yield();
        }
    }
}
