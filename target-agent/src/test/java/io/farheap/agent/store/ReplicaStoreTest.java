package io.farheap.agent.store;

import static io.farheap.agent.store.SimulatedReplica.HEAP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.agent.records.RecordWriter;
import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.ByteRange;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.JournalMessages;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.spi.RecordSource;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class ReplicaStoreTest {
    private static final long L = 1000;
    private static final long N = 5000;
    private static final long N2 = 9000;
    private static final long A = HEAP + 4096;
    private static final long B = HEAP + 8192;

    private final SimulatedReplica replica = SimulatedReplica.fresh();
    private final MemorySegment pool = SimulatedReplica.emptyPool();
    private ReplicaStore store;
    private RecordWriter writer;

    @BeforeEach
    void join() {
        store = replica.start();
        SimulatedReplica.join(store, pool, L, N);
        writer = new RecordWriter(store.intake().ring(), N);
    }

    private void flush() {
        assertThat(store.intake().flush(0, writer.position())).isEqualTo(writer.sequence());
    }

    private long word(long offset) {
        return replica.image.getLong(offset);
    }

    private void assertRefuses(String sentence, Runnable step) {
        assertThatThrownBy(step::run)
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining(sentence);
    }

    private static MemorySegment bytes(int length) {
        return Arena.ofAuto().allocate(length, 8).fill((byte) 7);
    }

    /** An agent that was taken back to an earlier release must not go on without it. */
    @Test
    void aRecordOfALaterReleaseIsNotTakenForTheEndOfTheTail() {
        writer.set(0, A, 11);
        long begin = writer.position();
        writer.set(1, B, 22);
        MemorySegment ring = store.intake().ring();
        ring.set(ValueLayout.JAVA_INT_UNALIGNED, begin + 40, 2);
        assertThat(replica.copy().start().report().tailRecords()).as("torn").isEqualTo(1);
        CRC32C crc = new CRC32C();
        crc.update(ring.asSlice(begin + 4, writer.position() - begin - 4).asByteBuffer());
        ring.set(ValueLayout.JAVA_INT_UNALIGNED, begin, (int) crc.getValue());
        assertRefuses("record 2 of a later release of Farheap", () -> replica.copy().start());
    }

    @Nested
    class ReadingWhileRecordsFlow {
        @Test
        void showsAMemberAsItIsBetweenTwoRecords() {
            writer.set(0, A, 11).set(1, B, 22);
            flush();
            assertThat(store.applyBatch()).isEqualTo(1);
            Reply.ImageContent read = store.readImage(A, 8192, true);
            assertThat(read.epoch()).isEqualTo(N);
            assertThat(read.applied()).isEqualTo(1);
            MemorySegment content = MemorySegment.ofArray(read.content().toByteArray());
            assertThat(content.mismatch(replica.image.image().asSlice(A, 8192))).isEqualTo(-1);
            assertThat(content.get(ValueLayout.JAVA_LONG_UNALIGNED, 0)).isEqualTo(11);
            assertThat(content.get(ValueLayout.JAVA_LONG_UNALIGNED, B - A)).isZero();

            Reply.ImageContent sum = store.readImage(A, 8192, false);
            assertThat(sum.content().length()).isZero();
            assertThat(sum.sum()).isEqualTo(read.sum());
            assertThat(store.readImage(0, 0, false).applied()).isEqualTo(1);
        }

        @Test
        void isRefusedOutsideOfTheImageAndToNoMember() {
            long end = replica.image.size();
            assertRefuses("outside of the replica", () -> store.readImage(end - 8, 16, true));
            assertRefuses("outside of the replica", () -> store.readImage(end + 1, 0, false));
            AttachDecision unused =
                    store.switching().attach(N, N2, List.of(), SlotReport.NOT_KNOWN, false);
            assertRefuses("no confirmed member", () -> store.readImage(A, 8, true));
        }
    }

    @Nested
    class Apply {
        @Test
        void takesOnlyWhatTheInitiatorHasCommitted() {
            writer.set(0, A, 11).set(1, B, 22);
            flush();
            assertThat(store.applyBatch()).isEqualTo(1);
            assertThat(word(A)).isEqualTo(11);
            assertThat(word(B)).isZero();
            assertThat(store.slot().appliedSequence()).isEqualTo(1);
        }

        @Test
        void passesAnEmptyRecordAsSoonAsAllBeforeItAreApplied() {
            writer.set(0, A, 11).empty(1);
            flush();
            assertThat(store.applyBatch()).isEqualTo(2);
            assertThat(store.slot().appliedPosition()).isEqualTo(writer.position());
        }

        @Test
        void doesNotPassAnEmptyRecordBehindAnUncommittedOne() {
            writer.set(0, A, 11).empty(0);
            flush();
            assertThat(store.applyBatch()).isZero();
        }

        @Test
        void carriesOutEveryKindOfEntryInOrder() {
            MemorySegment seven = bytes(20);
            writer.record(
                            0,
                            16 * 3 + 40,
                            entries -> {
                                entries.set(A, 0b1100);
                                entries.or(A, 0b0011);
                                entries.and(A, 0b1010);
                                entries.copy(B, seven, 0, 20);
                            })
                    .empty(1);
            flush();
            assertThat(store.applyBatch()).isEqualTo(2);
            assertThat(word(A)).isEqualTo(0b1010);
            assertThat(replica.image.image().asSlice(B, 20).mismatch(seven)).isEqualTo(-1);
            assertThat(replica.image.getByte(B + 20)).isZero();
        }

        @Test
        void goesAroundTheRingManyTimes() {
            writer.set(0, A, 0);
            for (int i = 1; i <= 200; i++) {
                long value = i;
                MemorySegment content = bytes(1000);
                writer.record(
                        writer.sequence(),
                        16 + 1016,
                        entries -> {
                            entries.set(A, value);
                            entries.copy(B, content, 0, 1000);
                        });
                flush();
                assertThat(store.applyBatch()).as("commit %s", i).isPositive();
            }
            writer.empty(writer.sequence());
            flush();
            while (store.applyBatch() > 0) {
                assertThat(store.slot().appliedSequence()).isPositive();
            }
            assertThat(word(A)).isEqualTo(200);
            assertThat(writer.position()).isGreaterThan(10 * SimulatedReplica.RING_BYTES);
            assertThat(store.slot().appliedSequence()).isEqualTo(writer.sequence());
        }

        @Test
        void standsStillWhilePrepared() {
            writer.set(0, A, 11).empty(1);
            flush();
            assertThat(store.switching().attach(N, N2, List.of(), SlotReport.NOT_KNOWN, false))
                    .isEqualTo(AttachDecision.CURRENT);
            assertThat(store.applyBatch()).isZero();
            assertThat(word(A)).isZero();
        }

        /** A kernel that could not write them told the agent before, and takes them for written. */
        @Test
        void pagesThatCountAreStoredAgainByTheNextAgent() {
            writer.set(0, A, 11).empty(1);
            flush();
            AtomicInteger stores = new AtomicInteger();
            replica.journalMachine.afterEachStore(stores::incrementAndGet);
            ReplicaStore restarted = replica.start();
            assertThat(restarted.report().lastSequence()).isEqualTo(2);
            assertThat(stores).as("its one page").hasValue(1);
        }

        @Test
        void goesOnAfterAnAgentsCrashInTheSameEpoch() {
            writer.set(0, A, 11).set(1, B, 22).empty(2);
            flush();
            ReplicaStore restarted = replica.start();
            assertThat(restarted.resume(N)).isEqualTo(AttachDecision.CURRENT);
            assertThat(restarted.report().lastSequence()).isEqualTo(3);
            assertThat(restarted.applyBatch()).isEqualTo(3);
            assertThat(word(B)).isEqualTo(22);
        }
    }

    @Nested
    class ARecordThatDoesNotVerify {
        /** Flushing refuses; nothing of it, nor after it, is applied, now or by promotion. */
        private void assertEndsTheStream(long lastGood) {
            assertRefuses("does not verify", () -> store.intake().flush(0, writer.position()));
            while (store.applyBatch() > 0) {
                assertThat(store.slot().appliedSequence()).isLessThanOrEqualTo(lastGood);
            }
            assertThat(word(B)).as("not applied").isZero();
            ReplicaStore restarted = replica.start();
            assertThat(restarted.report().lastSequence()).isEqualTo(lastGood);
            long unused = restarted.ownership().promote();
            assertThat(word(A)).isEqualTo(11);
            assertThat(word(B)).as("not replayed").isZero();
        }

        @Test
        void tornInItsEntries() {
            writer.set(0, A, 11).set(1, B, 22).empty(2);
            store.intake().ring().set(ValueLayout.JAVA_BYTE, 128 + 56, (byte) 23);
            assertEndsTheStream(1);
        }

        @Test
        void cutOffBeforeItsTrailer() {
            writer.set(0, A, 11).set(1, B, 22).empty(2);
            store.intake().ring().set(ValueLayout.JAVA_LONG, 128 + 120, 0);
            assertEndsTheStream(1);
        }

        @Test
        void ofAnotherEpoch() {
            writer.set(0, A, 11);
            long end = writer.position();
            RecordWriter stranger = new RecordWriter(store.intake().ring().asSlice(end), N2);
            stranger.leaveOutANumber().set(1, B, 22);
            assertRefuses("OTHER_EPOCH", () -> store.intake().flush(0, end + stranger.position()));
            assertThat(replica.start().ownership().promote()).isEqualTo(1);
            assertThat(word(B)).isZero();
        }

        @Test
        void withANumberLeftOut() {
            writer.set(0, A, 11).leaveOutANumber().set(1, B, 22);
            assertEndsTheStream(1);
        }

        @Test
        void withANumberUsedTwice() {
            writer.set(0, A, 11);
            RecordWriter again =
                    new RecordWriter(store.intake().ring().asSlice(writer.position()), N)
                            .set(1, B, 22);
            assertRefuses(
                    "OTHER_SEQUENCE",
                    () -> store.intake().flush(0, writer.position() + again.position()));
            assertThat(word(B)).isZero();
        }

        @Test
        void outsideOfWhatRecordsMayTouchEvenInItsLastEntry() {
            MemorySegment page = bytes(4096);
            RecordSource[] bad = {
                entries -> entries.set(Descriptor.RUN_ID, 1),
                entries -> entries.set(0, 1),
                entries -> entries.or(Descriptor.OFFSET, 1),
                entries -> entries.set(Descriptor.END, 1),
                entries -> entries.set(HEAP - 8, 1),
                entries -> entries.and(SimulatedReplica.IMAGE_BYTES, 1),
                entries -> entries.set(1L << 60, 1),
                entries -> entries.set(A + 4, 1)
            };
            for (RecordSource each : bad) {
                SimulatedReplica own = replica.copy();
                ReplicaStore fresh = own.start();
                assertThat(fresh.resume(N)).isEqualTo(AttachDecision.CURRENT);
                RecordWriter stream = new RecordWriter(fresh.intake().ring(), N);
                stream.record(
                        0,
                        32,
                        entries -> {
                            entries.set(B, 22);
                            each.writeTo(entries);
                        });
                assertRefuses("does not verify", () -> fresh.intake().flush(0, stream.position()));
                assertThat(own.image.getLong(B)).isZero();
            }
            RecordSource[] copies = {
                entries -> entries.copy(Descriptor.ROOT_OFFSET, page, 0, 16),
                entries -> entries.copy(SimulatedReplica.IMAGE_BYTES - 8, page, 0, 16),
                entries -> entries.copy(HEAP - 8, page, 0, 16)
            };
            for (RecordSource each : copies) {
                SimulatedReplica own = replica.copy();
                ReplicaStore fresh = own.start();
                assertThat(fresh.resume(N)).isEqualTo(AttachDecision.CURRENT);
                RecordWriter stream = new RecordWriter(fresh.intake().ring(), N);
                stream.record(0, 32, each);
                assertRefuses("does not verify", () -> fresh.intake().flush(0, stream.position()));
            }
        }

        @Test
        void changedAfterItWasVerifiedStopsTheReplica() {
            writer.set(0, A, 11).set(1, B, 22).empty(2);
            flush();
            store.intake().ring().set(ValueLayout.JAVA_BYTE, 128 + 56, (byte) 23);
            assertRefuses("changed in the journal", store::applyBatch);
            assertThat(store.slot().appliedSequence()).isZero();
        }

        /**
         * It is looked at again and again until the initiator has committed it: all of its bytes
         * are read when it is applied, and only then.
         */
        @Test
        void whatWaitsIsVerifiedAgainWhenItIsApplied() {
            writer.set(0, A, 11);
            flush();
            store.intake().ring().set(ValueLayout.JAVA_BYTE, 56, (byte) 23);
            assertThat(store.applyBatch()).as("it waits").isZero();

            writer.empty(1);
            flush();
            assertRefuses("changed in the journal", store::applyBatch);
            assertThat(word(A)).isZero();
        }
    }

    @Nested
    class ABounceRing {
        private MemorySegment bounce;

        private void begin() {
            bounce = store.intake().bounceRing();
            writer = new RecordWriter(bounce, N);
        }

        @Test
        void beginsAsTheJournalIs() {
            writer.set(0, A, 11);
            begin();
            assertThat(bounce.mismatch(store.intake().ring())).isEqualTo(-1);
            assertThat(bounce.address()).isNotEqualTo(store.intake().ring().address());
        }

        @Test
        void givesTheJournalWhatAFlushNamesAndNothingElse() {
            begin();
            writer.set(0, A, 11);
            long named = writer.position();
            writer.set(1, B, 22);
            assertThat(store.intake().flush(0, named)).isEqualTo(1);

            assertThat(replica.copy().start().report().lastSequence()).isEqualTo(1);
            assertThat(store.intake().flush(named, writer.position())).isEqualTo(2);
            assertThat(replica.copy().start().report().lastSequence()).isEqualTo(2);
        }

        @Test
        void ofAnEarlierConnectionLeavesNothingBehind() {
            begin();
            writer.set(0, A, 11);
            flush();
            writer.set(1, B, 22); // on its way when the connection broke
            ReplicaStore next = replica.copy().start();
            assertThat(next.resume(N)).isEqualTo(AttachDecision.CURRENT);
            MemorySegment ring = next.intake().bounceRing();
            assertThat(next.report().lastSequence()).isEqualTo(1);
            assertRefuses("does not verify", () -> next.intake().flush(0, writer.position()));
            // sent again
            MemorySegment.copy(bounce, 0, ring, 0, writer.position());
            assertThat(next.intake().flush(0, writer.position())).isEqualTo(2);
        }

        @Test
        void laps() {
            begin();
            long words = 0;
            while (writer.position() < 3 * SimulatedReplica.RING_BYTES) {
                writer.set(writer.sequence(), A, ++words);
                flush();
                long unused = store.applyBatch();
            }
            writer.empty(writer.sequence());
            flush();
            long unused = store.applyBatch();
            assertThat(word(A)).isEqualTo(words);
        }

        @Test
        void changedByTheInitiatorAfterTheFlushChangesNothing() {
            begin();
            writer.set(0, A, 11).set(1, B, 22).empty(2);
            flush();
            bounce.fill((byte) 0);
            assertThat(store.applyBatch()).isEqualTo(3);
            assertThat(word(B)).isEqualTo(22);
        }

        @Test
        void isLeftForTheJournalItself() {
            begin();
            store.intake().dropBounceRing();
            writer = new RecordWriter(store.intake().ring(), N).set(0, A, 11);
            flush();
            assertThat(replica.copy().start().report().lastSequence()).isEqualTo(1);
        }
    }

    @Nested
    class TheRoot {
        @Test
        void isTheOnlyPlaceOfTheDescriptorThatRecordsMayChange() {
            writer.record(
                            0,
                            32,
                            entries -> {
                                entries.set(Descriptor.ROOT_OFFSET, A);
                                entries.set(Descriptor.ROOT_SIZE, 64);
                            })
                    .empty(1);
            flush();
            assertThat(store.applyBatch()).isEqualTo(2);
            assertThat(word(Descriptor.ROOT_OFFSET)).isEqualTo(A);
            assertThat(word(Descriptor.ROOT_SIZE)).isEqualTo(64);
        }
    }

    @Nested
    class Flush {
        @Test
        void countsNothingBeforeConfirm() {
            ReplicaStore restarted = replica.start();
            writer.set(0, A, 11);
            assertRefuses(
                    "not a confirmed member", () -> restarted.intake().flush(0, writer.position()));
        }

        @Test
        void refusesMoreThanTheRingHasRoomFor() {
            assertRefuses(
                    "room up to", () -> store.intake().flush(0, SimulatedReplica.RING_BYTES + 64));
        }

        @Test
        void refusesAGap() {
            writer.set(0, A, 11).set(0, B, 22);
            assertRefuses("announced", () -> store.intake().flush(64, writer.position()));
        }

        @Test
        void answersAgainForWhatIsDurableAlready() {
            writer.set(0, A, 11);
            flush();
            assertThat(store.intake().flush(0, writer.position())).isEqualTo(1);
            assertThat(store.intake().flush(0, 0)).isEqualTo(1);
        }
    }

    @Nested
    class TheSwitch {
        @Test
        void atOpenReplacesTheFootprintAndDropsTheTail() {
            writer.set(0, A, 11).set(0, B, 22);
            flush();
            ReplicaStore next = replica.start();
            assertThat(next.switching().attach(N, N2, List.of(), SlotReport.NOT_KNOWN, false))
                    .isEqualTo(AttachDecision.CURRENT);
            assertThat(next.switching().footprint())
                    .containsExactly(new ByteRange(A, 8), new ByteRange(B, 8));
            // The initiator has the first one committed, the second rolled back.
            MemorySegment eleven = Arena.ofAuto().allocate(8, 8);
            eleven.set(ValueLayout.JAVA_LONG, 0, 11);
            next.switching().putImage(A, eleven, 0, 8);
            next.switching().putImage(B, Arena.ofAuto().allocate(8, 8), 0, 8);
            next.switching().prepare();
            next.switching().confirm(N2, false);
            assertThat(word(A)).isEqualTo(11);
            assertThat(word(B)).isZero();
            assertThat(next.report().tailRecords()).isZero();
            assertThat(replica.start().report().tailRecords()).as("durably").isZero();
        }

        @Test
        void appliesWhatIsKnownToBeCommittedSoThatOnlyTheRestIsReconciled() {
            writer.set(0, A, 11).set(1, B, 22);
            flush();
            ReplicaStore next = replica.start();
            next.applyCommitted(N + 2);
            assertThat(word(A)).as("for a stranger").isZero();
            next.applyCommitted(N);
            assertThat(word(A)).isEqualTo(11);
            assertThat(word(B)).isZero();
            var unused = next.switching().attach(N, N2, List.of(), SlotReport.NOT_KNOWN, false);
            assertThat(next.switching().footprint()).containsExactly(new ByteRange(B, 8));
        }

        @Test
        void mergesTheFootprint() {
            MemorySegment content = bytes(100);
            writer.record(
                    0,
                    16 + 120 + 16,
                    entries -> {
                        entries.set(A + 96, 1);
                        entries.copy(A, content, 0, 100);
                        entries.or(A + 104, 1);
                    });
            flush();
            ReplicaStore next = replica.start();
            var unused = next.switching().attach(N, N2, List.of(), SlotReport.NOT_KNOWN, false);
            assertThat(next.switching().footprint()).containsExactly(new ByteRange(A, 112));
        }

        @Test
        void withinARunAppliesWhatIsDurableEverywhereAndDropsTheRest() {
            writer.set(0, A, 11).set(0, B, 22);
            flush();
            ReplicaStore next = replica.start();
            var unused = next.switching().attach(N, N2, List.of(), SlotReport.NOT_KNOWN, false);
            next.switching().drain(1);
            assertThat(next.switching().footprint()).isEmpty();
            next.switching().prepare();
            next.switching().confirm(N2, false);
            assertThat(word(A)).isEqualTo(11);
            assertThat(word(B)).isZero();
            assertThat(next.slot().journalEpoch()).isEqualTo(N2);
        }

        @Test
        void drainsToACommitBehindWhichItHasPassedEmptyRecords() {
            writer.set(0, A, 11).empty(1).set(1, B, 22);
            flush();
            ReplicaStore next = replica.start();
            next.applyCommitted(N);
            assertThat(next.slot().appliedSequence()).isEqualTo(2);
            assertThat(next.switching().attach(N, N2, List.of(), SlotReport.NOT_KNOWN, false))
                    .isEqualTo(AttachDecision.CURRENT);
            next.switching().drain(1);
            assertThat(next.switching().footprint()).isEmpty();
            next.switching().prepare();
            next.switching().confirm(N2, false);
            assertThat(word(A)).isEqualTo(11);
            assertThat(word(B)).as("durable on this one alone").isZero();
        }

        @Test
        void cannotDrainWhatItDoesNotHave() {
            ReplicaStore next = replica.start();
            var unused = next.switching().attach(N, N2, List.of(), SlotReport.NOT_KNOWN, false);
            assertRefuses("records reach", () -> next.switching().drain(1));
        }

        @Test
        void isNotConfirmedBeforeItsContentIsDurable() {
            ReplicaStore next = replica.start();
            var unused = next.switching().attach(N, N2, List.of(), SlotReport.NOT_KNOWN, false);
            next.switching().putImage(A, bytes(8), 0, 8);
            assertRefuses("prepare", () -> next.switching().confirm(N2, false));
        }

        @Test
        void isRecognisedByTheNumberItWasPreparedFor() {
            ReplicaStore next = replica.start();
            var unused = next.switching().attach(N, N2, List.of(), SlotReport.NOT_KNOWN, false);
            next.switching().prepare();
            assertThat(
                            replica.start()
                                    .switching()
                                    .attach(N2, N2 + 1000, List.of(), SlotReport.NOT_KNOWN, false))
                    .isEqualTo(AttachDecision.CURRENT);
        }

        @Test
        void confirmsTwiceWithoutForgettingWhatCameBetween() {
            writer.set(0, A, 11).empty(1);
            flush();
            assertThat(store.applyBatch()).isEqualTo(2);
            store.switching().confirm(N, false);
            assertThat(store.slot().appliedSequence()).isEqualTo(2);
        }

        @Test
        void changesNothingForAnInitiatorThatIsNotRecognised() {
            var before = store.slot();
            assertThat(store.switching().attach(L + 2, N2, List.of(), SlotReport.NOT_KNOWN, false))
                    .isEqualTo(AttachDecision.NOT_COMPARABLE);
            assertThat(store.slot()).isEqualTo(before);
            assertRefuses("not prepared", () -> store.switching().putImage(A, bytes(8), 0, 8));
            assertRefuses("nobody ordered", store.switching()::startSync);
        }

        @Test
        void putsContentOnlyWhereRecordsMay() {
            var unused = store.switching().attach(N, N2, List.of(), SlotReport.NOT_KNOWN, false);
            assertRefuses(
                    "neither in the heap",
                    () -> store.switching().putImage(Descriptor.RUN_ID, bytes(8), 0, 8));
            assertRefuses(
                    "neither in the heap", () -> store.switching().putImage(0, bytes(64), 0, 64));
        }
    }

    @Nested
    class FullCopy {
        @Test
        void keepsThisCopysOwnRunIdLanesAndHeader() {
            assertThat(word(Descriptor.RUN_ID)).isZero();
            assertThat(replica.start().layout()).isEqualTo(SimulatedReplica.LAYOUT);
            MemorySegment all = bytes((int) SimulatedReplica.IMAGE_BYTES);
            var unused = store.switching().attach(1, N2, List.of(), SlotReport.NOT_KNOWN, true);
            store.switching().startSync();
            long lane = word(Descriptor.DEFAULT_LANES_OFFSET);
            store.switching().putImage(0, all, 0, SimulatedReplica.IMAGE_BYTES);
            assertThat(word(0)).isZero();
            assertThat(word(Descriptor.RUN_ID)).isZero();
            assertThat(word(Descriptor.DEFAULT_LANES_OFFSET)).isEqualTo(lane);
            assertThat(word(Descriptor.ROOT_OFFSET)).isNotZero();
            assertThat(word(HEAP)).isNotZero();
        }

        @Test
        void isNotTakenForCompleteAfterItWasCut() {
            var unused = store.switching().attach(1, N2, List.of(), SlotReport.NOT_KNOWN, true);
            store.switching().startSync();
            ReplicaStore restarted = replica.start();
            assertThat(restarted.switching().attach(N, N2, List.of(), SlotReport.NOT_KNOWN, false))
                    .isEqualTo(AttachDecision.SYNC_INTERRUPTED);
            assertRefuses(
                    "no copy was begun",
                    () -> restarted.switching().syncComplete(N2, SimulatedReplica.LAYOUT));
            assertRefuses(
                    "not prepared", () -> restarted.switching().putImage(HEAP, pool, HEAP, 8));
            assertRefuses("copy to it never ended", restarted.ownership()::promote);
        }

        /** The switch that it was completed for was not made: another member failed. */
        @Test
        void isCompleteForAnotherNumberWhenTheFirstWasNotUsed() {
            var unused = store.switching().attach(1, N2, List.of(), SlotReport.NOT_KNOWN, true);
            store.switching().startSync();
            store.switching()
                    .putImage(
                            Descriptor.OFFSET, pool, Descriptor.OFFSET, Descriptor.SCRATCH - 4096);
            store.switching().syncComplete(N2, SimulatedReplica.LAYOUT);
            assertRefuses(
                    "not a fresh one",
                    () -> store.switching().syncComplete(N2, SimulatedReplica.LAYOUT));
            store.switching().syncComplete(N2 + 1000, SimulatedReplica.LAYOUT);
            assertRefuses("not prepared for", () -> store.switching().confirm(N2, false));
            store.switching().confirm(N2 + 1000, false);
            assertThat(store.slot().cur()).isEqualTo(N2 + 1000);
            assertRefuses(
                    "no copy was begun",
                    () -> store.switching().syncComplete(N2 + 2000, SimulatedReplica.LAYOUT));
        }

        /** It may hold records that were rolled back, and whoever syncs it must know them. */
        @Test
        void anOlderCopyTellsWhatItsTailTouchedBeforeItIsGivenUp() {
            writer.set(0, A, 11);
            long flushed = store.intake().flush(0, writer.position());
            ReplicaStore back = replica.start();
            assertRefuses("not prepared", back.switching()::footprint);
            assertThat(
                            back.switching()
                                    .attach(N + 7000, N2, List.of(), SlotReport.NOT_KNOWN, false))
                    .isEqualTo(AttachDecision.NOT_COMPARABLE);
            assertRefuses("not prepared", back.switching()::footprint);
            assertRefuses("nobody ordered", back.switching()::startSync);
            assertThat(
                            back.switching()
                                    .attach(
                                            N + 7000,
                                            N2,
                                            List.of(3L, N),
                                            SlotReport.NOT_KNOWN,
                                            false))
                    .isEqualTo(AttachDecision.STALE);
            assertThat(flushed).isEqualTo(1);
            assertThat(back.switching().footprint()).containsExactly(new ByteRange(A, 8));
            assertThat(back.slot().cur()).as("nothing changed yet").isEqualTo(N);
            back.switching().startSync();
            assertThat(back.slot().state()).isEqualTo(ReplicaState.SYNCING);
            assertThat(back.slot().cur()).isZero();
        }

        @Test
        void ofABrokenImageIsRefused() {
            var unused = store.switching().attach(1, N2, List.of(), SlotReport.NOT_KNOWN, true);
            store.switching().startSync();
            store.switching().putImage(Descriptor.OFFSET, bytes(64), 0, 64);
            assertRefuses(
                    "checksum", () -> store.switching().syncComplete(N2, SimulatedReplica.LAYOUT));
        }

        @Test
        void isRefusedOutsideOfTheImage() {
            var unused = store.switching().attach(1, N2, List.of(), SlotReport.NOT_KNOWN, true);
            store.switching().startSync();
            for (long offset : new long[] {-8, SimulatedReplica.IMAGE_BYTES - 4, 1L << 62}) {
                assertRefuses("outside", () -> store.switching().putImage(offset, pool, 0, 8));
            }
        }
    }

    @Nested
    class Promotion {
        @Test
        void replaysTheWholeTailAndGivesAFreshNumber() {
            writer.set(0, A, 11).set(0, B, 22);
            flush();
            ReplicaStore taken = replica.start();
            assertThat(taken.ownership().promote()).isEqualTo(2);
            assertThat(word(A)).isEqualTo(11);
            assertThat(word(B)).isEqualTo(22);
            assertThat(taken.slot().state()).isEqualTo(ReplicaState.PROMOTED);
            assertThat(word(Descriptor.RUN_ID)).isEqualTo(taken.slot().cur()).isGreaterThan(N);
            assertThat(taken.slot().cur() & 1).isZero();
            assertThat(taken.ownership().promote()).as("does nothing the second time").isZero();
        }

        @Test
        void ofAPreparedReplicaReplaysTheTailOverReconciledContent() {
            writer.set(0, A, 11);
            flush();
            ReplicaStore prepared = replica.start();
            var unused = prepared.switching().attach(N, N2, List.of(), SlotReport.NOT_KNOWN, false);
            prepared.switching().putImage(A, bytes(8), 0, 8);
            long replayed = replica.start().ownership().promote();
            assertThat(replayed).isEqualTo(1);
            assertThat(word(A)).isEqualTo(11);
        }

        @Test
        void shutsTheOldInitiatorOut() {
            long unused = store.ownership().promote();
            assertRefuses("not a confirmed member", () -> store.intake().flush(0, 64));
            assertThat(
                            replica.start()
                                    .switching()
                                    .attach(N, N2, List.of(), SlotReport.NOT_KNOWN, false))
                    .isEqualTo(AttachDecision.TAKEN_OVER);
        }

        @Test
        void isGivenBackUnderTheNumberThatWasAgreed() {
            long unused = store.ownership().promote();
            store.ownership().restoreComplete(N2);
            ReplicaStore back = replica.start();
            assertThat(
                            back.switching()
                                    .attach(N2, N2 + 1000, List.of(), SlotReport.NOT_KNOWN, false))
                    .isEqualTo(AttachDecision.CURRENT);
            assertRefuses("not prepared for a switch", back.switching()::prepare);
            back.switching().startSync();
            back.switching().syncComplete(N2 + 1000, SimulatedReplica.LAYOUT);
            back.switching().confirm(N2 + 1000, false);
            assertThat(
                            replica.start()
                                    .switching()
                                    .attach(
                                            N2 + 1000,
                                            N2 + 2000,
                                            List.of(),
                                            SlotReport.NOT_KNOWN,
                                            false))
                    .isEqualTo(AttachDecision.CURRENT);
        }

        @Test
        void staysAPoolUntilWhatWasRestoredFromItIsCopiedBack() {
            long unused = store.ownership().promote();
            store.ownership().restoreComplete(N2);
            assertThat(
                            replica.start()
                                    .switching()
                                    .attach(N2, N2 + 1000, List.of(), SlotReport.NOT_KNOWN, false))
                    .isEqualTo(AttachDecision.CURRENT);
            assertThat(replica.start().slot().state()).isEqualTo(ReplicaState.PROMOTED);
            assertThat(
                            replica.start()
                                    .switching()
                                    .attach(N2, N2 + 2000, List.of(), SlotReport.NOT_KNOWN, false))
                    .isEqualTo(AttachDecision.CURRENT);
        }

        @Test
        void isNotGivenBackOnceItsOwnerWentOnWithIt() {
            long unused = store.ownership().promote();
            store.ownership().restoreComplete(N2);
            replica.image.putLong(Descriptor.RUN_ID, store.slot().cur() + 2);
            ReplicaStore opened = replica.start();
            assertThat(opened.slot().cur()).isEqualTo(word(Descriptor.RUN_ID));
            assertThat(
                            opened.switching()
                                    .attach(N2, N2 + 1000, List.of(), SlotReport.NOT_KNOWN, false))
                    .isEqualTo(AttachDecision.TAKEN_OVER);
        }

        @Test
        void isRefusedAfterAProgramOpenedTheFiles() {
            replica.image.putLong(Descriptor.RUN_ID, 2);
            ReplicaStore restarted = replica.start();
            assertThat(restarted.report().foreignOpen()).isTrue();
            assertThat(restarted.switching().attach(N, N2, List.of(), SlotReport.NOT_KNOWN, false))
                    .isEqualTo(AttachDecision.OPENED_ON_TARGET);
            assertRefuses("has opened its files", restarted.ownership()::promote);
        }
    }

    @Nested
    class Reading {
        private final MemorySegment answer = Arena.ofAuto().allocate(JournalMessages.MAX_BYTES, 8);

        @Test
        void givesBytesAndChecksumsOfTheImage() {
            ReplicaStore still = replica.start();
            int length = still.getImage(answer, Descriptor.OFFSET, 100);
            assertThat(JournalMessages.check(answer, 0, length)).isEqualTo(JournalMessages.IMAGE);
            assertThat(
                            MemorySegment.mismatch(
                                    answer,
                                    JournalMessages.HEADER_BYTES,
                                    JournalMessages.HEADER_BYTES + 100,
                                    pool,
                                    Descriptor.OFFSET,
                                    Descriptor.OFFSET + 100))
                    .isEqualTo(-1);
            length = still.sumImage(answer, HEAP, 1000, 512);
            assertThat(JournalMessages.check(answer, 0, length)).isEqualTo(JournalMessages.SUMS);
            java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
            crc.update(new byte[488]);
            assertThat(JournalMessages.sum(answer, 0, 1)).isEqualTo((int) crc.getValue());
        }

        @Test
        void isRefusedWhileRecordsFlowAndOutsideOfTheImage() {
            assertRefuses("stand still", () -> store.getImage(answer, 0, 8));
            ReplicaStore still = replica.start();
            assertRefuses("outside", () -> still.getImage(answer, -1, 8));
            assertRefuses(
                    "outside",
                    () -> still.sumImage(answer, HEAP, SimulatedReplica.IMAGE_BYTES, 1 << 20));
        }
    }
}
