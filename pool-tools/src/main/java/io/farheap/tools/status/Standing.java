package io.farheap.tools.status;

import io.farheap.tools.report.Tone;

/** How a copy stands to the pool's number: the words of the report, which stay as they are. */
public enum Standing {
    /** It has every commit that returned. */
    CURRENT("current"),
    /** On the target itself: it has every commit of its epoch, and can't know of a newer one. */
    COMPLETE("complete"),
    /** It has every commit, and yet bytes of it are not the pool's. */
    DIFFERENT("different"),
    /** It has every commit that returned, but no program writes to it though one has the pool. */
    DETACHED("not attached"),
    /** The same, and a program is opening the pool. */
    OPENING("opening"),
    /** It lacks what changed since it was left out; that is proven and noted. */
    STALE("stale"),
    /** Half old and half new, or half of a dump that was loaded. */
    INCOMPLETE("incomplete"),
    /** It has no content. */
    EMPTY("empty"),
    /** A local copy of another run. */
    OTHER_RUN("of another run"),
    /** Which one is newer can't be known. */
    NOT_COMPARABLE("not comparable"),
    /** It was promoted, and is a pool of its own. */
    TAKEN_OVER("taken over"),
    /** A program opened the replica's files on the target. */
    OPENED_ON_TARGET("opened on the target"),
    /** It belongs to another pool. */
    OTHER_POOL("of another pool"),
    /** Files are missing or damaged. */
    BROKEN("broken"),
    /** Its target can't be asked. */
    UNREACHABLE("unreachable"),
    /** Its target answers, and does not show it. */
    REFUSED("refused"),
    /** There is no local copy to compare it with, or it is a local one that can't be read. */
    UNKNOWN("unknown");

    private final String word;

    Standing(String word) {
        this.word = word;
    }

    public String word() {
        return word;
    }

    public Tone tone() {
        if (isGood()) {
            return Tone.GOOD;
        }
        return this == DIFFERENT || this == BROKEN ? Tone.BAD : Tone.WARNING;
    }

    /** Whether nothing needs to be done about it. */
    public boolean isGood() {
        return this == CURRENT || this == COMPLETE || this == OPENING;
    }
}
