package io.farheap.replication.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JournalLayoutTest {
    private static final byte[] UUID = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

    private final MemorySegment file = Arena.ofAuto().allocate(JournalLayout.fileBytes(8192), 64);

    @Test
    void headerTellsCapacityToItsOwnPoolsetOnly() {
        JournalLayout.writeHeader(file, 8192, UUID);
        assertThat(JournalLayout.readHeader(file, UUID, "j")).isEqualTo(8192);
        assertThatThrownBy(() -> JournalLayout.readHeader(file, new byte[16], "j"))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("belongs to the poolset 0102");
    }

    @Test
    void anyDamageOfTheHeaderIsSeen() {
        JournalLayout.writeHeader(file, 8192, UUID);
        for (int i = 0; i < 40; i++) {
            byte old = file.get(ValueLayout.JAVA_BYTE, i);
            file.set(ValueLayout.JAVA_BYTE, i, (byte) (old ^ 4));
            assertThatThrownBy(() -> JournalLayout.readHeader(file, UUID, "the journal"))
                    .as("byte %d", i)
                    .isInstanceOf(FarheapException.class)
                    .hasMessageStartingWith("the journal ");
            file.set(ValueLayout.JAVA_BYTE, i, old);
        }
    }

    /** An agent that was taken back to an earlier release must not go on from what was before. */
    @Test
    void aSlotOfALaterReleaseIsRefusedThoughTheOlderCopyCanBeRead() {
        ReplicaSlot whole = new ReplicaSlot(ReplicaState.INSYNC, 4, 0, 4, 0, 0, 2, 1, false, 0);
        SlotLayout.write(file, whole);
        long later = SlotLayout.offsetFor(2);
        file.set(RecordLayout.INT, later, ReplicaState.SYNCING.code());
        file.set(RecordLayout.INT, later + 4, 17);
        file.set(RecordLayout.LONG, later + 8, 2);
        assertThatThrownBy(() -> SlotLayout.read(file, "j"))
                .hasMessageContaining("j has the replica's state in version 17")
                .hasMessageContaining("this agent knows 1 to 16")
                .hasMessageContaining("upgrade this one");
        SlotLayout.write(file, new ReplicaSlot(ReplicaState.INSYNC, 6, 0, 6, 0, 0, 2, 3, false, 0));
        assertThat(SlotLayout.read(file, "j").cur()).as("written after it").isEqualTo(6);
    }

    @Test
    void whatWasNeverAVersionIsDamageOfOneCopy() {
        ReplicaSlot whole = new ReplicaSlot(ReplicaState.INSYNC, 4, 0, 4, 0, 0, 2, 1, false, 0);
        SlotLayout.write(file, whole);
        file.set(RecordLayout.INT, SlotLayout.offsetFor(2) + 4, 1 << 20);
        file.set(RecordLayout.LONG, SlotLayout.offsetFor(2) + 8, 2);
        assertThat(SlotLayout.read(file, "j")).isEqualTo(whole);
    }

    @Test
    void truncatedFileIsSeen() {
        JournalLayout.writeHeader(file, 8192, UUID);
        assertThatThrownBy(() -> JournalLayout.readHeader(file.asSlice(0, 16384 + 4096), UUID, "j"))
                .hasMessageContaining("names a ring of 8192 bytes but has");
        assertThatThrownBy(() -> JournalLayout.readHeader(file.asSlice(0, 100), UUID, "j"))
                .hasMessageContaining("is no journal");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -4096, 4095, 5000, (1L << 30) + 4096, Long.MAX_VALUE})
    void impossibleCapacitiesAreRefused(long capacity) {
        assertThatThrownBy(() -> JournalLayout.fileBytes(capacity))
                .isInstanceOf(FarheapException.class);
    }

    @Test
    void theSlotIsTheYoungestValidCopy() {
        assertThatThrownBy(() -> SlotLayout.read(file, "j")).hasMessageContaining("no valid copy");
        ReplicaSlot first = ReplicaSlot.fresh();
        SlotLayout.write(file, first);
        assertThat(SlotLayout.read(file, "j")).isEqualTo(first);
        ReplicaSlot second = first.withNumbers(ReplicaState.INSYNC, 4, 6, 4).withPoolRunId(8);
        SlotLayout.write(file, new ReplicaSlot(ReplicaState.INSYNC, 4, 6, 4, 0, 0, 8, 2, false, 0));
        assertThat(SlotLayout.read(file, "j").cur()).isEqualTo(second.cur());
        ReplicaSlot third = SlotLayout.read(file, "j").withApplied(77, 64000);
        SlotLayout.write(file, third);
        assertThat(SlotLayout.read(file, "j")).isEqualTo(third);
        assertThat(third.isPrepared()).isTrue();
        assertThat(third.generation()).isEqualTo(3);
    }

    /** Its checksum is right, but sums with such numbers leave the ring. */
    @ParameterizedTest
    @CsvSource({
        "-1,0,2",
        "0,-64,2",
        "1,0,2",
        "2,64,2",
        "0,7,2",
        "0,9223372036854775744,2",
        "0,0,-2"
    })
    void aSlotThatNoAgentCanHaveWrittenDoesNotCount(long sequence, long position, long generation) {
        ReplicaSlot good = new ReplicaSlot(ReplicaState.INSYNC, 4, 0, 4, 0, 0, 2, 1, false, 0);
        SlotLayout.write(file, good);
        SlotLayout.write(
                file,
                new ReplicaSlot(
                        ReplicaState.INSYNC, 6, 0, 6, sequence, position, 2, generation, false, 0));
        assertThat(SlotLayout.read(file, "j")).isEqualTo(good);
    }

    @Test
    void sayingThatAReplicaMayLagKeepsOldReadersAway() {
        ReplicaSlot lags = new ReplicaSlot(ReplicaState.INSYNC, 6, 0, 6, 1, 64, 2, 2, true, 0);
        SlotLayout.write(file, lags);
        assertThat(SlotLayout.read(file, "j")).isEqualTo(lags);
        long version = SlotLayout.offsetFor(2) + 4;
        assertThat(file.get(RecordLayout.INT, version)).isEqualTo(2);
        SlotLayout.write(file, lags.caughtUp());
        assertThat(SlotLayout.read(file, "j")).isEqualTo(lags.lagging(false).withPoolRunId(2));
        assertThat(file.get(RecordLayout.INT, SlotLayout.offsetFor(3) + 4)).isEqualTo(1);
        file.set(RecordLayout.INT, version, 3);
        file.set(RecordLayout.INT, SlotLayout.offsetFor(3) + 4, 3);
        assertThatThrownBy(() -> SlotLayout.read(file, "j")).isInstanceOf(FarheapException.class);
    }

    /** An agent that knows no terms would let an older writer in. */
    @Test
    void aTermKeepsReadersAwayThatDoNotKnowIt() {
        ReplicaSlot without = new ReplicaSlot(ReplicaState.INSYNC, 6, 0, 6, 1, 64, 2, 2, false, 0);
        ReplicaSlot with = without.withTerm(9);
        ReplicaSlot lagging = with.withTerm(Long.MAX_VALUE).lagging(true);
        SlotLayout.write(file, without);
        assertThat(file.get(RecordLayout.INT, SlotLayout.offsetFor(2) + 4)).isEqualTo(1);
        SlotLayout.write(file, with);
        assertThat(file.get(RecordLayout.INT, SlotLayout.offsetFor(3) + 4)).isEqualTo(3);
        assertThat(SlotLayout.read(file, "j")).isEqualTo(with);
        SlotLayout.write(file, lagging);
        assertThat(file.get(RecordLayout.INT, SlotLayout.offsetFor(4) + 4)).isEqualTo(4);
        assertThat(SlotLayout.read(file, "j")).isEqualTo(lagging);
    }

    /** An agent that does not know it would have too little of it brought up to date. */
    @Test
    void thatNobodyHasComparedItKeepsReadersAwayThatDoNotKnowIt() {
        ReplicaSlot without =
                new ReplicaSlot(ReplicaState.INSYNC, 6, 0, 6, 1, 64, 6, 2, false, 9, true, 0);
        SlotLayout.write(file, without);
        assertThat(file.get(RecordLayout.INT, SlotLayout.offsetFor(2) + 4)).isEqualTo(7);
        assertThat(SlotLayout.read(file, "j")).isEqualTo(without);
        ReplicaSlot lagging = without.withTerm(0).lagging(true);
        SlotLayout.write(file, lagging);
        assertThat(file.get(RecordLayout.INT, SlotLayout.offsetFor(3) + 4)).isEqualTo(6);
        assertThat(SlotLayout.read(file, "j")).isEqualTo(lagging);
    }

    /** An agent that does not know it would have another record's last copy overwritten. */
    @Test
    void ofWhichRecordATermIsKeepsReadersAwayThatDoNotKnowIt() {
        ReplicaSlot slot =
                new ReplicaSlot(
                        ReplicaState.INSYNC, 6, 0, 6, 1, 64, 2, 2, false, 9, false, Long.MAX_VALUE);
        SlotLayout.write(file, slot);
        assertThat(file.get(RecordLayout.INT, SlotLayout.offsetFor(2) + 4)).isEqualTo(11);
        assertThat(SlotLayout.read(file, "j")).isEqualTo(slot);
        ReplicaSlot none = slot.withTerm(0);
        SlotLayout.write(file, none);
        assertThat(none.recordId()).isZero();
        assertThat(SlotLayout.read(file, "j")).isEqualTo(none);
        SlotLayout.write(file, none.withTerm(10, 5));
        for (long bit = 0; bit < 8 * 20; bit++) {
            long at = SlotLayout.offsetFor(4) + 64 + bit / 8;
            byte right = file.get(ValueLayout.JAVA_BYTE, at);
            file.set(ValueLayout.JAVA_BYTE, at, (byte) (right ^ 1 << bit % 8));
            assertThat(SlotLayout.read(file, "j")).isEqualTo(none);
            file.set(ValueLayout.JAVA_BYTE, at, right);
        }
    }

    @Test
    void aTermThatIsDamagedLeavesTheSlotBefore() {
        ReplicaSlot before = new ReplicaSlot(ReplicaState.INSYNC, 6, 0, 6, 1, 64, 2, 2, false, 8);
        SlotLayout.write(file, before);
        SlotLayout.write(file, before.withTerm(9));
        for (long bit = 0; bit < 8 * 12; bit++) {
            long at = SlotLayout.offsetFor(3) + 64 + bit / 8;
            byte right = file.get(ValueLayout.JAVA_BYTE, at);
            file.set(ValueLayout.JAVA_BYTE, at, (byte) (right ^ 1 << bit % 8));
            assertThat(SlotLayout.read(file, "j")).isEqualTo(before);
            file.set(ValueLayout.JAVA_BYTE, at, right);
        }
        assertThat(SlotLayout.read(file, "j").term()).isEqualTo(9);
    }

    /** A change is one atomic step: whatever part of it is on media, either slot is read. */
    @Test
    void tornSlotLeavesThePreviousOne() {
        ReplicaSlot old = new ReplicaSlot(ReplicaState.INSYNC, 4, 0, 4, 9, 640, 2, 6, false, 0);
        ReplicaSlot older = new ReplicaSlot(ReplicaState.SYNCING, 0, 0, 0, 0, 0, 2, 5, false, 0);
        ReplicaSlot young =
                new ReplicaSlot(ReplicaState.PROMOTED, 10, 0, 4, 11, 1280, 2, 7, false, 0);
        SlotLayout.write(file, young);
        byte[] after = slotBytes(7);
        SlotLayout.write(file, older);
        byte[] before = slotBytes(7);
        SlotLayout.write(file, old);
        int words = 9;
        for (int arrived = 0; arrived < 1 << words; arrived++) {
            for (int word = 0; word < words; word++) {
                byte[] from = (arrived >> word & 1) == 1 ? after : before;
                MemorySegment.copy(
                        MemorySegment.ofArray(from),
                        word * 8L,
                        file,
                        SlotLayout.offsetFor(7) + word * 8L,
                        8);
            }
            ReplicaSlot read = SlotLayout.read(file, "j");
            boolean whole = arrived == (1 << words) - 1;
            // words in which both are equal don't matter
            assertThat(read).as("words %x", arrived).isIn(old, young);
            if (whole) {
                assertThat(read).isEqualTo(young);
            }
        }
    }

    private byte[] slotBytes(long generation) {
        return file.asSlice(SlotLayout.offsetFor(generation), 72).toArray(ValueLayout.JAVA_BYTE);
    }
}
