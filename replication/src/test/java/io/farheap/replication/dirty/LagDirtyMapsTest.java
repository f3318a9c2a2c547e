package io.farheap.replication.dirty;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.replication.control.ByteRange;
import io.farheap.testing.CrashSimulation;
import io.farheap.testing.CrashSimulation.Loss;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LagDirtyMapsTest {
    private static final long IMAGE = 256 << 20;
    private static final MemorySegment IDENTITY = DirtyMap.identity(new byte[16], "host a.set");

    private final CrashSimulation machine = new CrashSimulation(DirtyMap.fileBytes(IMAGE));
    private final DirtyMap map =
            DirtyMap.create(machine.memory(), IDENTITY, IMAGE, Bases.of(10), 10, true);
    private final LagDirtyMaps maps = new LagDirtyMaps(List.of(map), Duration.ZERO);

    @BeforeEach
    void begin() {
        maps.tidy(0, () -> 0); // what is left of an earlier epoch goes
    }

    private void mark(int which, long region) {
        for (DirtyBits bits : maps.bits(which)) {
            if (bits.mark(region << 20, 8)) {
                bits.fence();
                bits.settle(region << 20, 8);
            }
        }
    }

    private void commit(long region) {
        int which = maps.enter();
        mark(which, region);
        maps.leave(which);
    }

    /** What a power loss leaves. */
    private List<ByteRange> found() {
        CrashSimulation after = machine.crash(Loss.ALL, new Random(1));
        DirtyMap found = DirtyMap.open(after.memory(), IDENTITY, 10);
        assertThat(found.coversLag()).isTrue();
        RegionSet set = RegionSet.ofPages(IMAGE);
        found.addTo(set);
        return set.take(IMAGE);
    }

    private static ByteRange region(long region) {
        return new ByteRange(region << 20, 1 << 20);
    }

    @Test
    void aBitGoesOnceEveryMemberHasWhatWasClaimedUnderIt() {
        commit(3); // record 1
        maps.tidy(0, () -> 1); // the other one's turn
        assertThat(found()).containsExactly(region(3));
        maps.tidy(0, () -> 1);
        commit(7); // record 2
        maps.tidy(0, () -> 2);
        assertThat(found()).containsExactly(region(3), region(7));
        maps.tidy(1, () -> 2); // looked when 1 was the last: cleared, and the turn changes again
        assertThat(found()).containsExactly(region(7));
        maps.tidy(1, () -> 2);
        assertThat(found()).containsExactly(region(7));
        maps.tidy(2, () -> 2);
        assertThat(found()).isEmpty();
    }

    /** Else files of an earlier moment would come back without what nobody notes any more. */
    @Test
    void whatTheMembersHaveIsInTheMapBeforeItsBitsGo() {
        commit(3); // record 1
        maps.tidy(0, () -> 1);
        List<Long> sequences = new ArrayList<>();
        machine.beforeEachStep(
                () -> {
                    if (found().isEmpty()) {
                        sequences.add(sequenceFound());
                    }
                });
        maps.tidy(1, () -> 1);
        assertThat(found()).isEmpty();
        assertThat(sequenceFound()).isEqualTo(1);
        assertThat(sequences).allMatch(sequence -> sequence == 1);
    }

    private long sequenceFound() {
        CrashSimulation after = machine.crash(Loss.ALL, new Random(1));
        return DirtyMap.open(after.memory(), IDENTITY, 10).bases().sequenceIn(10);
    }

    /** Between the mark and the claim nobody knows which record it will be. */
    @Test
    void whoHasNotClaimedYetKeepsTheWholeSet() {
        int which = maps.enter();
        mark(which, 3);
        for (int i = 0; i < 5; i++) {
            maps.tidy(100, () -> 100);
        }
        assertThat(found()).containsExactly(region(3));
        maps.leave(which); // claimed record 101
        maps.tidy(100, () -> 101);
        assertThat(found()).containsExactly(region(3));
        maps.tidy(101, () -> 101);
        assertThat(found()).isEmpty();
    }

    @Test
    void theLastRecordIsAskedForOnlyWhenNobodyIsBetween() {
        commit(1);
        maps.tidy(0, () -> 1);
        int which = maps.enter();
        mark(which, 5);
        List<String> asked = new ArrayList<>();
        maps.tidy(
                0,
                () -> {
                    asked.add("last");
                    return 1;
                });
        assertThat(asked).as("the set of the first turn is quiet").hasSize(1);
        maps.leave(which);
    }

    @Test
    void marksOfThoseWhoComeAgainAreDurableInTheirOwnSet() {
        commit(3);
        maps.tidy(0, () -> 1);
        commit(3); // in the other set, though the first has the bit: that goes
        maps.tidy(2, () -> 2);
        assertThat(found()).containsExactly(region(3));
        maps.tidy(2, () -> 2);
        assertThat(found()).isEmpty();
    }

    @Test
    void nothingIsClearedAfterTheEpoch() {
        commit(3);
        maps.tidy(0, () -> 1);
        maps.close();
        maps.tidy(1, () -> 1);
        maps.tidy(1, () -> 1);
        assertThat(found()).containsExactly(region(3));
    }

    /** What commits at each step of clearing must be found, whatever a power loss takes. */
    @Test
    void afterAPowerLossWhileItIsClearedWhatIsMissingIsStillNoted() {
        commit(3);
        maps.tidy(0, () -> 1);
        commit(90);
        machine.beforeEachStep(() -> assertThat(found()).contains(region(90)));
        maps.tidy(1, () -> 1);
        machine.beforeEachStep(() -> {});
        assertThat(found()).containsExactly(region(90));
    }
}
