package io.farheap.replication;

import io.farheap.replication.control.Blob;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.SlotReport;
import java.util.List;

/**
 * A remote replica as its agent found it.
 *
 * @param slot its durable state; null: there is none that can be read; with no faults either, the
 *     target has no files of it
 * @param header the header page of its first part; empty: it can't be read
 * @param imageSize usable bytes
 * @param faults what is missing or broken of it, a sentence for each file; empty: nothing
 * @param holder who has it attached now; empty: nobody
 */
public record ReplicaReport(
        SlotReport slot, Blob header, long imageSize, List<String> faults, String holder) {
    static ReplicaReport of(Reply.Verdict found) {
        return new ReplicaReport(
                found.slot(), found.header(), found.imageSize(), found.faults(), found.holder());
    }
}
