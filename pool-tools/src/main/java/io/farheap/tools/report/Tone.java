package io.farheap.tools.report;

/** How good a verdict is, which a terminal shows by a colour. */
public enum Tone {
    GOOD("\u001b[32m"),
    WARNING("\u001b[33m"),
    BAD("\u001b[31m");

    private static final String PLAIN = "\u001b[0m";

    private final String start;

    Tone(String start) {
        this.start = start;
    }

    public String paint(String word) {
        return start + word + PLAIN;
    }
}
