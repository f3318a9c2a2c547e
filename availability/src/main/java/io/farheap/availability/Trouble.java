package io.farheap.availability;

import java.util.function.Consumer;

/**
 * Trouble that lasts is told once, and again when it is another one or has come back. Thread-safe.
 */
final class Trouble {
    private final Consumer<String> told;
    private String last = "";

    /**
     * @param told gets a sentence
     */
    Trouble(Consumer<String> told) {
        this.told = told;
    }

    synchronized void is(String sentence) {
        if (!bare(sentence).equals(last)) {
            last = bare(sentence);
            told.accept(sentence);
        }
    }

    synchronized void isOver() {
        last = "";
    }

    /** A number that moves on is nothing new. */
    static String bare(String sentence) {
        return sentence.replaceAll("[0-9]+", "0");
    }
}
