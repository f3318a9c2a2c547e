package io.farheap.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.availability.coordinator.StoreSettings;
import io.farheap.availability.coordinator.StoreSettings.Login;
import io.farheap.availability.coordinator.StoreSettings.Tls;
import io.farheap.base.FarheapException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What can't work is refused before anything is sent. */
class ZooKeeperSettingsTest {
    private static final Duration TTL = Duration.ofSeconds(12);

    private static ZooKeeperSettings of(String endpoints, Duration ttl) {
        return ZooKeeperSettings.of(
                new StoreSettings(endpoints, ttl, Optional.empty(), Optional.empty()));
    }

    @ParameterizedTest
    @CsvSource({
        "'z1:2182, z2,[::1]:2181/a/b', 'z1:2182,z2:2181,[::1]:2181', /a/b",
        "z1, z1:2181, ''",
        "z1/, z1:2181, ''"
    })
    void serversHaveAPortAndABaseIsOptional(String endpoints, String servers, String base) {
        assertThat(of(endpoints, TTL).connectString()).isEqualTo(servers);
        assertThat(of(endpoints, TTL).base()).isEqualTo(base);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "z1,",
                "http://z1:2181",
                "z1:0",
                "z1:70000",
                "z 1",
                "z1/a//b",
                "z1/../b",
                "z1:2181/farheap,z2:2181/farheap",
                "z1/farheap,z2/farheap"
            })
    void whatIsNoServerIsRefused(String endpoints) {
        assertThatThrownBy(() -> of(endpoints, TTL)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void moreThanNineServersAreRefused() {
        assertThatThrownBy(() -> of("z,".repeat(9) + "z", TTL))
                .hasMessageContaining("10 are given");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT4S", "PT4.999S", "PT10.5S"})
    void aTtlBelowFiveSecondsIsRefused(Duration ttl) {
        assertThatThrownBy(() -> of("z1", ttl))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("of at least 5");
    }

    @Test
    void aServerHasASixthOfTheTtlAndARequestHalfOfIt() {
        assertThat(of("z1", TTL).tryBound()).isEqualTo(Duration.ofSeconds(2));
        assertThat(of("z1", TTL).bound()).isEqualTo(Duration.ofSeconds(6));
    }

    @Test
    void certificateAndKeyAreOneFile() {
        Tls two = new Tls(Path.of("ca.pem"), Path.of("app.pem"), Path.of("app.key"));

        assertThatThrownBy(() -> of(two))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("put both into one PEM file");
    }

    @Test
    void filesWithoutWhatTheyAreForAreNamed(@TempDir Path directory) throws Exception {
        Path authorities =
                Files.writeString(directory.resolve("ca.pem"), "-----BEGIN CERTIFICATE-----");
        Path keyless = Files.copy(authorities, directory.resolve("app.pem"));

        assertThatThrownBy(() -> of(new Tls(authorities, keyless, keyless)))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("app.pem has no \"BEGIN PRIVATE KEY\"");
        Path none = directory.resolve("none.pem");
        assertThatThrownBy(() -> of(new Tls(none, keyless, keyless)))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("none.pem can't be read");
    }

    private static ZooKeeperSettings of(Tls tls) {
        return ZooKeeperSettings.of(
                new StoreSettings("z1", TTL, Optional.of(tls), Optional.empty()));
    }

    @Test
    void aUserHasNoColon() {
        Login login = new Login("a:b", "secret");

        assertThatThrownBy(
                        () ->
                                ZooKeeperSettings.of(
                                        new StoreSettings(
                                                "z1", TTL, Optional.empty(), Optional.of(login))))
                .isInstanceOf(FarheapException.class)
                .hasMessageNotContaining("secret");
    }

    /**
     * What other programs of this JVM have of SASL, and what closes a session late, is not ours.
     */
    @Test
    void theClientHasABoundAndLogsInByDigestOnly() {
        assertThat(of("z1", TTL).config().isSaslClientEnabled()).isFalse();
        assertThat(of("z1", TTL).config().getProperty("zookeeper.request.timeout"))
                .isEqualTo("2000");
    }
}
