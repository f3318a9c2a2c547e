package io.farheap.availability.coordinator;

import java.util.function.Consumer;

/**
 * Trouble that lasts is told once, and again when it is another one or has come back. Thread-safe.
 */
public final class Trouble {
    private final Consumer<String> told;
    private String last = "";

    /**
     * None yet.
     *
     * @param told gets a sentence
     */
    public Trouble(Consumer<String> told) {
        this.told = told;
    }

    /** It is so. */
    public synchronized void is(String sentence) {
        if (!bare(sentence).equals(last)) {
            last = bare(sentence);
            told.accept(sentence);
        }
    }

    /** It is not so any more. */
    public synchronized void isOver() {
        last = "";
    }

    /** A number that moves on is nothing new. */
    public static String bare(String sentence) {
        return sentence.replaceAll("[0-9]+", "0");
    }
}
