package io.farheap.availability;

/**
 * A copy that was set apart, and may go if a person says so: {@link RecordRepair#apart}.
 *
 * @param node whose copy it is
 * @param holds what it holds, for people
 * @param uuid of its first part, by which it is named; empty: there is nothing of it
 * @param holder who has it; empty: nobody
 * @param term of the record that set it apart
 */
public record DiscardedCopy(String node, String holds, String uuid, String holder, long term) {}
