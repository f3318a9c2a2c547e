package io.farheap.memory;

import static org.assertj.core.api.Assertions.assertThat;

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
}
