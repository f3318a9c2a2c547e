package io.farheap.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.PersistenceDomain;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The environment variables of libpmem, and what follows from them. */
class PlatformSettingsTest {

    @ParameterizedTest
    @CsvSource({
        // force, no flush, synchronous, auto flush
        "'', '', false, false, PAGE_CACHE",
        "'', 1, false, false, PAGE_CACHE",
        "'', '', false, true, PAGE_CACHE",
        "'', '', true, false, DAX",
        "'', '', true, true, EADR",
        "'', 1, true, false, EADR",
        "'', 0, true, false, DAX",
        "1, '', false, false, FORCED",
        "1, '', true, false, FORCED",
        "0, '', true, false, PAGE_CACHE",
        "0, 1, true, true, PAGE_CACHE",
        "yes, '', false, false, PAGE_CACHE",
    })
    void theDomainFollowsFromMappingPlatformAndEnvironment(
            String force,
            String noFlush,
            boolean synchronous,
            boolean autoFlush,
            PersistenceDomain expected) {
        PlatformSettings settings =
                PlatformSettings.of(Map.of("PMEM_IS_PMEM_FORCE", force, "PMEM_NO_FLUSH", noFlush));

        assertThat(settings.domain(synchronous, autoFlush)).isEqualTo(expected);
    }

    @org.junit.jupiter.api.Test
    void withoutVariablesTheMappingDecides() {
        PlatformSettings settings = PlatformSettings.of(Map.of());

        assertThat(settings.domain(true, false)).isEqualTo(PersistenceDomain.DAX);
        assertThat(settings.noFlush()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "BYTE, '', EADR",
        "byte, '', EADR",
        "CACHE_LINE, '', FORCED",
        "PAGE, '', PAGE_CACHE",
        "PAGE, 1, FORCED",
        "BYTE, 0, PAGE_CACHE",
    })
    void granularityIsForcedUnlessMoreIsSaid(
            String granularity, String force, PersistenceDomain expected) {
        PlatformSettings settings =
                PlatformSettings.of(
                        Map.of(
                                "PMEM2_FORCE_GRANULARITY",
                                granularity,
                                "PMEM_IS_PMEM_FORCE",
                                force));

        assertThat(settings.domain(true, false)).isEqualTo(expected);
    }

    @org.junit.jupiter.api.Test
    void anUnknownGranularityIsRefused() {
        PlatformSettings settings = PlatformSettings.of(Map.of("PMEM2_FORCE_GRANULARITY", "WORD"));

        assertThatThrownBy(() -> settings.domain(true, false))
                .hasMessageContaining("BYTE, CACHE_LINE or PAGE, not WORD");
    }

    @ParameterizedTest
    @CsvSource({"'', 0", "0x10000000000, 0x10000000000", "7f0000001234, 0x7f0000001000", "zz, 0"})
    void theMappingAddressIsHexadecimal(String text, String expected) {
        assertThat(PlatformSettings.of(Map.of("PMEM_MMAP_HINT", text)).mappingAddress())
                .isEqualTo(Long.decode(expected));
    }
}
