package io.farheap.replication;

import io.farheap.replication.control.Blob;
import io.farheap.replication.control.SlotReport;

/**
 * A remote replica as its agent found it.
 *
 * @param slot its durable state; null: there is none that can be read
 * @param header the header page of its first part; empty: it can't be read
 * @param imageSize usable bytes
 * @param health what is wrong with its files, one sentence; empty: nothing
 * @param holder who has it attached now; empty: nobody
 */
public record ReplicaReport(
        SlotReport slot, Blob header, long imageSize, String health, String holder) {}
