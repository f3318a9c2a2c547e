package io.farheap.availability;

import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.epoch.SwitchRecorder;
import io.farheap.replication.epoch.TakenTail;
import java.util.List;

/** A rule of the recorded switch that is not kept, at the seam between switch and record. */
enum BrokenRule {
    /** Kept, all of them. */
    NONE,
    /** docs/high-availability.md#prepare-self. */
    PREPARE_SELF,
    /** docs/high-availability.md#record-before-ack. */
    RECORD_BEFORE_ACK,
    /** docs/high-availability.md#known-cas. */
    KNOWN_CAS,
    /** docs/high-availability.md#settle-first. */
    SETTLE_FIRST;

    /** The recorder of a machine that stops at a point. */
    SwitchRecorder breaking(SwitchRecorder kept, CrashPoint point) {
        return new SwitchRecorder() {
            @Override
            public long term() {
                return kept.term();
            }

            @Override
            public int minCopies() {
                return kept.minCopies();
            }

            @Override
            public long number() {
                return kept.number();
            }

            @Override
            public boolean isNew() {
                return kept.isNew();
            }

            @Override
            public TakenTail tail() {
                return kept.tail();
            }

            @Override
            public boolean names(RemoteReplica replica) {
                return kept.names(replica);
            }

            @Override
            public void prepare(long current, long number) {
                point.before("the own copy is prepared");
                if (BrokenRule.this != PREPARE_SELF) {
                    kept.prepare(current, number);
                }
            }

            @Override
            public Answer record(List<RemoteReplica> members, long number) {
                point.before("the record");
                if (BrokenRule.this == RECORD_BEFORE_ACK && members.size() < 2) {
                    return new Answer(Kind.RECORDED, "it is not");
                }
                return told(kept.record(members, number));
            }

            @Override
            public Answer settle() {
                point.before("the record is settled");
                return told(kept.settle());
            }

            private Answer told(Answer answer) {
                point.before("the answer of the store");
                if (answer.kind() != Kind.UNSETTLED) {
                    return answer;
                }
                return switch (BrokenRule.this) {
                    case KNOWN_CAS -> new Answer(Kind.RECORDED, "nobody knows");
                    case SETTLE_FIRST -> new Answer(Kind.NOT_RECORDED, "nobody knows");
                    default -> answer;
                };
            }
        };
    }
}
