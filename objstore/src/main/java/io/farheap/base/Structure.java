package io.farheap.base;

/** What part of a pool an inconsistency is in. */
public enum Structure {
    /** A part file as such: missing, of another size. */
    PART,
    /** A part's header and its links to the others. */
    HEADER,
    /** The shutdown state in a replica's first header. */
    SHUTDOWN_STATE,
    /** The pool descriptor. */
    DESCRIPTOR,
    /** A log of a lane, or an extension of one. */
    LOG,
    /** Heap header, zones, chunks, runs and their bitmaps, object headers. */
    HEAP,
    /** The root object. */
    ROOT,
    /** A list that the caller named. */
    LIST,
    /** Local replicas that can't be of one pool now, each of which may be right by itself. */
    REPLICAS
}
