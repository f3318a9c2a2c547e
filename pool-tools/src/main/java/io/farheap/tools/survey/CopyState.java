package io.farheap.tools.survey;

import io.farheap.layout.PoolUuid;

/**
 * One copy of a pool as it was found.
 *
 * @param place in the poolset file, from 0
 * @param host where it is, as in the REPLICA line; empty: on this machine
 * @param name its first part here, its poolset there
 * @param condition what there is
 * @param pool the pool it belongs to; null: nothing tells
 * @param uuid its own, that of its first part; null: nothing tells
 * @param bytes of its image
 * @param holding what it has of that pool; null: nothing, or nothing tells
 * @param problem why it is not whole, a sentence; null: it is
 */
public record CopyState(
        int place,
        String host,
        String name,
        Condition condition,
        PoolUuid pool,
        PoolUuid uuid,
        long bytes,
        CopyVersion holding,
        String problem) {

    /** What there is of a copy. */
    public enum Condition {
        /** It can be opened, promoted or restored from. */
        WHOLE,
        /** No file of it is there. */
        ABSENT,
        /** Its creation never ended: nobody ever committed in it. */
        NEVER_COMPLETED,
        /** A copy to it never ended: half old, half new. */
        HALF_COPIED,
        /** Files of it are missing or broken: what is left may be newer than any other copy. */
        DAMAGED,
        /** A program there has it open, and may commit: what it holds is known of the past only. */
        IN_USE,
        /** Its files are there, and can't be read. */
        UNREADABLE,
        /** Its target can't be asked: it may hold anything. */
        UNREACHABLE
    }

    /** How it is called in messages. */
    public String title() {
        return "replica " + place + " (" + (host.isEmpty() ? name : host + " " + name) + ")";
    }

    /** The same on this machine. */
    CopyState here(String firstPart) {
        return new CopyState(place, "", firstPart, condition, pool, uuid, bytes, holding, problem);
    }

    /** Whether it has no commit of anybody, for sure. */
    public boolean isEmpty() {
        return condition == Condition.ABSENT || condition == Condition.NEVER_COMPLETED;
    }

    boolean isWhole() {
        return condition == Condition.WHOLE;
    }

    /** What it holds, in words. */
    public String holds() {
        return switch (condition) {
            case ABSENT -> "no files";
            case NEVER_COMPLETED -> "a pool whose creation never ended, without a commit";
            case HALF_COPIED -> "a copy that never ended";
            case UNREADABLE, UNREACHABLE -> "what it holds is not known: " + problem;
            case IN_USE -> "in use by " + problem + "; before that " + holding.text();
            case DAMAGED -> "damaged" + (holding == null ? "" : ", " + holding.text());
            case WHOLE ->
                    holding == null ? "content, and no number that tells of when" : holding.text();
        };
    }
}
