package io.farheap.model.heap;

import io.farheap.model.Bits;

/** One state: two objects, each a stripe of its own, two writers and a read. */
final class ModeledHeap {
    static final int OBJECTS = 2;
    static final int WRITERS = 2;
    static final int VERSIONS = 5;

    /** Version * 2, + 1 while locked. */
    final int[] word = new int[OBJECTS];

    final int[] bytes = new int[OBJECTS];

    /** By object and version: what that version replaced, + 1; 0: nothing is kept. */
    final int[] old = new int[OBJECTS * VERSIONS];

    int clock;
    int finished;
    int allocated = 1;

    final int[] at = new int[WRITERS];
    final int[] snapshot = new int[WRITERS];
    final int[] firstLook = new int[WRITERS];
    final int[] seen = new int[WRITERS * OBJECTS];
    final int[] version = new int[WRITERS];
    final int[] attempts = new int[WRITERS];
    final int[] failed = new int[WRITERS];
    final int[] oldWord = new int[WRITERS * OBJECTS];

    int readAt;

    /** Whether the read is a glance, for which nobody keeps old bytes. */
    int glancing;

    int readSnapshot;
    int readLook;
    final int[] readSeen = new int[OBJECTS];

    /** For the judge: who committed with a version, + 1; the newest that had returned. */
    final int[] committer = new int[VERSIONS];

    int returned;
    int returnedBeforeRead;

    void fields(Bits bits) {
        bits.fields(word, 4);
        bits.fields(bytes, 2);
        bits.fields(old, 3);
        clock = bits.field(clock, 3);
        finished = bits.field(finished, VERSIONS);
        allocated = bits.field(allocated, 1);
        bits.fields(at, 5);
        bits.fields(snapshot, 3);
        bits.fields(firstLook, 4);
        bits.fields(seen, 2);
        bits.fields(version, 3);
        bits.fields(attempts, 2);
        bits.fields(failed, 1);
        bits.fields(oldWord, 4);
        readAt = bits.field(readAt, 4);
        glancing = bits.field(glancing, 1);
        readSnapshot = bits.field(readSnapshot, 3);
        readLook = bits.field(readLook, 4);
        bits.fields(readSeen, 2);
        bits.fields(committer, 2);
        returned = bits.field(returned, 3);
        returnedBeforeRead = bits.field(returnedBeforeRead, 3);
    }

    static boolean isReadable(int word, int snapshot) {
        return (word & 1) == 0 && word >> 1 <= snapshot;
    }

    /** Every version up to it has finished. */
    int watermark(boolean inOrder) {
        int reached = 0;
        for (int i = 1; i < VERSIONS; i++) {
            boolean done = (finished >> i & 1) != 0;
            if (done && (!inOrder || reached == i - 1)) {
                reached = i;
            }
        }
        return reached;
    }
}
