package io.farheap.availability.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.availability.coordinator.StoreSettings;
import io.farheap.base.FarheapException;
import java.net.URI;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What can't work is refused before anything is sent. */
class EtcdSettingsTest {
    private static final URI ENDPOINT = URI.create("https://e1:2379");
    private static final Duration TTL = Duration.ofSeconds(10);

    @Test
    void aRequestWaitsASixthOfTheTtl() {
        assertThat(EtcdSettings.of(List.of(ENDPOINT), Duration.ofSeconds(12)).bound())
                .isEqualTo(Duration.ofSeconds(2));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT4S", "PT4.999S", "PT10.5S"})
    void aTtlBelowFiveSecondsIsRefused(Duration ttl) {
        assertThatThrownBy(() -> EtcdSettings.of(List.of(ENDPOINT), ttl))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("of at least 5");
    }

    @ParameterizedTest
    @ValueSource(strings = {"e1:2379", "ftp://e1:2379", "https://e1:2379/v3", "e1"})
    void whatIsNoEndpointIsRefused(URI endpoint) {
        assertThatThrownBy(() -> EtcdSettings.of(List.of(endpoint), TTL))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("write it as https://host:2379");
    }

    @Test
    void betweenOneAndNineEndpointsAreNamed() {
        assertThatThrownBy(() -> EtcdSettings.of(List.of(), TTL))
                .hasMessageContaining("between 1 and 9");
        assertThatThrownBy(() -> EtcdSettings.of(Collections.nCopies(10, ENDPOINT), TTL))
                .hasMessageContaining("10 are given");
    }

    @Test
    void aPasswordIsNotShown() {
        assertThat(new StoreSettings.Login("app", "secret").toString()).doesNotContain("secret");
    }
}
