package io.farheap.tools.verify;

import io.farheap.replication.control.ByteRange;
import io.farheap.tools.status.CopyStatus;
import io.farheap.tools.verify.CopyResult.Finding;
import java.util.List;

/** One copy, and what is known of it. */
final class Subject {
    final CopyStatus status;

    /** Among the local ones; -1: it is a remote one. */
    final int index;

    /** Null: it is not compared. */
    Copy copy;

    ComparedCopy against;
    Finding finding;
    String explanation;

    /** What is wrong with its structure, or null. */
    String damage;

    /** It must be equal; else it is of another version. */
    boolean sameCommits;

    /** Where it may differ until the pool is opened. */
    List<ByteRange> notApplied = List.of();

    Subject(CopyStatus status, int index) {
        this.status = status;
        this.index = index;
    }

    int place() {
        return status.replica();
    }

    void notCompared(Finding what, String why) {
        copy = null;
        against = null;
        finding = what;
        explanation = why;
    }
}
