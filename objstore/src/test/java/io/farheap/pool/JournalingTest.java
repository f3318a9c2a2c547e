package io.farheap.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.JournalSettings;
import io.farheap.base.PersistenceDomain;
import io.farheap.pool.Journaling.When;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who says whether a pool has a disk journal, and how large it is where nobody says. */
class JournalingTest {
    private static final long MIB = 1 << 20;

    private static Journaling said(PersistenceDomain program, Map<String, String> environment) {
        return Journaling.of(program, JournalSettings.USUAL, environment);
    }

    @Test
    void whereNobodySaysAnythingTheFilesDecide() {
        assertThat(said(null, Map.of()).when()).isEqualTo(When.ON_ORDINARY_DISKS);
    }

    @Test
    void theEnvironmentDecidesForAllFiles() {
        assertThat(said(null, Map.of("FARHEAP_DURABILITY", "journal")).when())
                .isEqualTo(When.ALWAYS);
        assertThat(said(null, Map.of("FARHEAP_DURABILITY", "pages")).when()).isEqualTo(When.NEVER);
        assertThatThrownBy(() -> said(null, Map.of("FARHEAP_DURABILITY", "both")))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("must be journal or pages, or not set, not both");
    }

    @Test
    void theProgramsWordGoesOverIt() {
        Map<String, String> pages = Map.of("FARHEAP_DURABILITY", "pages");
        Map<String, String> journal = Map.of("FARHEAP_DURABILITY", "journal");
        assertThat(said(PersistenceDomain.JOURNAL, pages).when()).isEqualTo(When.ALWAYS);
        assertThat(said(PersistenceDomain.PAGE_CACHE, journal).when()).isEqualTo(When.NEVER);
    }

    @ParameterizedTest
    @CsvSource({"PMEM_IS_PMEM_FORCE,1", "PMEM_IS_PMEM_FORCE,0", "PMEM2_FORCE_GRANULARITY,PAGE"})
    void whatLibpmemIsToldOfTheFilesStays(String name, String value) {
        assertThat(said(null, Map.of(name, value)).when()).isEqualTo(When.NEVER);
        assertThat(said(null, Map.of(name, value, "FARHEAP_DURABILITY", "journal")).when())
                .as("it is said of the commits, too")
                .isEqualTo(When.ALWAYS);
    }

    @Test
    void sizesAreThoseOfTheProgramAndThenOfTheEnvironment() {
        Map<String, String> environment =
                Map.of("FARHEAP_JOURNAL_SIZE", "64M", "FARHEAP_JOURNAL_MEMORY", "2G");
        assertThat(said(null, environment).settings())
                .isEqualTo(new JournalSettings(64 * MIB, 2048 * MIB));
        assertThat(Journaling.of(null, new JournalSettings(3 * MIB, 0), environment).settings())
                .isEqualTo(new JournalSettings(3 * MIB, 2048 * MIB));
        assertThatThrownBy(() -> said(null, Map.of("FARHEAP_JOURNAL_SIZE", "64 apples")))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("FARHEAP_JOURNAL_SIZE must be a number of bytes such as");
    }

    @ParameterizedTest
    @CsvSource({
        "8, 0, 2",
        "10, 0, 2.5",
        "64, 0, 16",
        "1024, 0, 256",
        "4096, 0, 256",
        "8, 8, 2", // in directories: it can't grow
        "8, 32, 8",
        "8, 4096, 16",
        "400, 4096, 100"
    })
    void aRingIsAQuarterOfItsPool(long pool, long most, double ring) {
        assertThat(RingSize.of(JournalSettings.USUAL, pool * MIB, most * MIB).ringBytes())
                .isEqualTo((long) (ring * MIB));
    }

    @ParameterizedTest
    @ValueSource(longs = {2 << 20, 2_600_000, 3_999_999, 16 << 20, 99_999_999, 256 << 20})
    void aRingHasSixteenBatchesOrMore(long bytes) {
        var ring = RingSize.of(new JournalSettings(bytes, 0), 8 * MIB, 0);

        assertThat(ring.ringBytes() / ring.batchBytes()).isGreaterThanOrEqualTo(16);
        assertThat(ring.batchBytes()).isLessThanOrEqualTo(1 << 20);
        assertThat(ring.ringBytes()).isBetween(bytes - MIB + 1, bytes);
        assertThat(RingSize.of(new JournalSettings(ring.ringBytes(), 0), 8 * MIB, 0))
                .as("who opens it finds the same by its size")
                .isEqualTo(ring);
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 20, 80, 1279, 1280, 1281, 5000})
    void theLargestPoolLeavesRoomForItsJournalAndNotMuchMore(long mebibytes) {
        long room = mebibytes * MIB;
        long pool = RingSize.mostPoolBytes(JournalSettings.USUAL, room) & -4096;

        long journal = RingSize.of(JournalSettings.USUAL, pool, 0).fileBytes();

        assertThat(room - pool - journal).isBetween(0L, MIB + 200_000);
    }

    @Test
    void ofASaidSizeToo() {
        JournalSettings said = new JournalSettings(32 * MIB, 0);
        long pool = RingSize.mostPoolBytes(said, 100 * MIB) & -4096;

        long journal = RingSize.of(said, pool, 0).fileBytes();

        assertThat(100 * MIB - pool - journal).isBetween(0L, 100_000L);
    }
}
