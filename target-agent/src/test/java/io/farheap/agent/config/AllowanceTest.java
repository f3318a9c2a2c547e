package io.farheap.agent.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.agent.config.AgentConfiguration.Key;
import io.farheap.agent.config.Allowance.Right;
import io.farheap.agent.service.ServiceAddress;
import io.farheap.agent.session.TestInitiator;
import io.farheap.base.FarheapException;
import io.farheap.replication.control.Purpose;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a line {@code allow} lets whom do. */
class AllowanceTest {
    private static final List<String> BANK = List.of("CN=app-bank", "DNS:one.example");

    @Test
    void aLineHasANamePoolsetsAndPerhapsARight() {
        assertThat(Allowance.parse("CN=app-bank bank*.set"))
                .isEqualTo(new Allowance("CN=app-bank", List.of("bank*.set"), Right.WRITE));
        assertThat(Allowance.parse("  \"CN=the bank\"   a.set  b/c.set   read "))
                .isEqualTo(new Allowance("CN=the bank", List.of("a.set", "b/c.set"), Right.READ));
        assertThat(Allowance.parse("URI:spiffe://bank/app * administer").right())
                .isEqualTo(Right.ADMINISTER);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CN=app-bank",
                "CN=app-bank write",
                "app-bank bank.set",
                "CN= bank.set",
                "\"CN=the bank bank.set",
                "bank.set",
                "CN=app-bank [bank.set",
            })
    void whatIsNoLineIsRefusedWithWhatItShouldBe(String text) {
        assertThatThrownBy(() -> Allowance.parse(text))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("allow");
    }

    @ParameterizedTest
    @CsvSource({
        "bank.set, true",
        "bank2.set, true",
        "./bank.set, true",
        "other.set, false",
        "Bank.set, false",
        "sub/bank.set, false",
        "bank/x.set, false",
        "sub/../bank.set, false",
        "../bank.set, false",
        "/bank.set, false",
        "'', false",
    })
    void aPatternMeansNamesInOneDirectoryAndNoneThatGoesUp(String poolset, boolean fits) {
        Allowance line = Allowance.parse("CN=app-bank bank*.set");
        assertThat(line.lets(BANK, Right.WRITE, poolset)).isEqualTo(fits);
    }

    @Test
    void aRightHasThoseBeforeItAndNoneBehind() {
        Allowance line = Allowance.parse("DNS:one.example bank.set");
        assertThat(line.lets(BANK, Right.READ, "bank.set")).isTrue();
        assertThat(line.lets(BANK, Right.WRITE, "bank.set")).isTrue();
        assertThat(line.lets(BANK, Right.ADMINISTER, "bank.set")).isFalse();
    }

    @Test
    void onlyTheNameItselfCounts() {
        Allowance line = Allowance.parse("CN=app-bank bank.set");
        for (String other : List.of("CN=app-bank2", "CN=App-Bank", "CN=app", "DNS:app-bank")) {
            assertThat(line.lets(List.of(other), Right.READ, "bank.set")).as(other).isFalse();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "INSPECT, READ",
        "ATTACH, WRITE",
        "VERIFY, WRITE",
        "RESTORE, ADMINISTER",
        "REMOVE, ADMINISTER"
    })
    void whoTakesOverAdministersWhateverFor(Purpose purpose, Right otherwise) {
        long next = purpose == Purpose.ATTACH ? 4 : 0;
        assertThat(Right.of(TestInitiator.hello(purpose, "bank.set", 0, next, 1000, false)))
                .isEqualTo(otherwise);
        assertThat(Right.of(TestInitiator.hello(purpose, "bank.set", 0, next, 1000, true)))
                .isEqualTo(Right.ADMINISTER);
    }

    @Test
    void linesOfOneFileAddUpAndALaterFileReplacesThem(@TempDir Path directory) throws IOException {
        Path file =
                Files.writeString(
                        directory.resolve("agent.conf"),
                        "allow = CN=a a.set\nallow = CN=b b.set read # both\n");
        AgentConfiguration read =
                AgentConfiguration.of(ConfigurationFile.read(file, true, directory), directory);
        assertThat(read.listening().allowances()).hasSize(2);

        AgentOptions options =
                AgentOptions.parse(
                        "--config",
                        file.toString(),
                        "--allow",
                        "CN=c c.set",
                        "--allow",
                        "CN=d d.set");
        assertThat(options.settings().get(Key.ALLOW)).contains("CN=c").contains("CN=d");
        AgentConfiguration loaded = AgentConfiguration.load(options, directory, directory);
        assertThat(loaded.listening().allowances())
                .extracting(Allowance::who)
                .containsExactly("CN=c", "CN=d");
    }

    @ParameterizedTest
    @ValueSource(strings = {"7890", "host:", ":7890", "host:70000", "::1:7890", "host:port"})
    void aServiceListensAtAHostAndAPort(String text) {
        assertThatThrownBy(() -> ServiceAddress.parse(text))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("HOST:PORT");
    }

    @Test
    void anAddressOfVersionSixStandsInBrackets() {
        assertThat(ServiceAddress.parse("[::1]:7890").getAddress().getHostAddress())
                .isEqualTo("0:0:0:0:0:0:0:1");
    }
}
