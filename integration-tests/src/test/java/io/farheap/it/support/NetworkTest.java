package io.farheap.it.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.it.support.Network.Loss;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Hosts reach each other by name, packets are lost one way, and nothing of a network stays. */
@Timeout(60)
class NetworkTest {
    @TempDir private Path directory;

    private Network network;

    @BeforeEach
    void make() throws Exception {
        Network.require();
        network = Network.of(directory, List.of("one", "two"));
    }

    @AfterEach
    void end() {
        if (network != null) {
            network.close();
        }
    }

    private String on(String host, String command) {
        return Ran.of(network.on(host, new ProcessBuilder("bash", "-c", command)))
                .succeeded()
                .out()
                .strip();
    }

    private void send(String from, String to) {
        assertThat(on(from, "echo x >/dev/udp/%s/9".formatted(to))).isEmpty();
    }

    /** How many have arrived that no program waited for. */
    private long arrived(String host) {
        return Long.parseLong(on(host, "awk '/^Udp: [0-9]/ { print $3 }' /proc/net/snmp"));
    }

    @Test
    void packetsAreLostOneWayUntilThatIsMended() {
        Loss loss = new Loss("one", "two", false);
        network.make(loss);
        send("one", "two");
        send("two", "one");
        await().until(() -> arrived("one"), count -> count == 1);

        network.mend(loss);
        send("one", "two");
        await().until(() -> arrived("two"), count -> count > 0);
        assertThat(arrived("two")).isEqualTo(1);
    }

    @Test
    void sendersAreToldOfLossesWhereATestSaysSo() {
        network.make(new Loss("one", "two", true));
        Ran connecting =
                Ran.of(
                        network.on(
                                "one", new ProcessBuilder("bash", "-c", "exec 3<>/dev/tcp/two/9")));
        assertThat(connecting.err()).contains("unreachable");
    }

    @Test
    void theTestReachesAHostAndItsProcessesEndWithTheNetwork() throws Exception {
        assertThat(InetAddress.getByName(network.address("two")).isReachable(5000)).isTrue();
        Process process = network.on("two", new ProcessBuilder("sleep", "1000")).start();
        await().until(
                        () -> on("two", "cat /proc/%d/comm".formatted(process.pid())),
                        "sleep"::equals);

        network.close();

        assertThat(process.waitFor()).isNotZero();
        assertThat(Ran.of(new ProcessBuilder("ip", "-o", "addr")).succeeded().out())
                .doesNotContain(network.address("two").replaceFirst("\\.\\d+$", ".2/"));
        network = null;
    }
}
