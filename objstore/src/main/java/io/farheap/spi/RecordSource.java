package io.farheap.spi;

/** What knows the entries of one record; called once, on the thread that appends it. */
@FunctionalInterface
public interface RecordSource {
    void writeTo(RecordEntries entries);
}
