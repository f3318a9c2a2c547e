package io.farheap.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.it.support.Agreement;
import io.farheap.it.support.Machines;
import io.farheap.replication.tls.PemFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs and commands whose replica's agent runs already, and is reached within TLS. */
@Timeout(300)
class ListeningAgentTest {
    private static final int THREADS = 2;

    private final long seed = new Random().nextLong() >>> 16;
    private ServiceSite site;
    private Machines machines;
    private PemFiles bank;
    private Path set;

    /**
     * A command that has ended.
     *
     * @param said on both of its outputs
     */
    private record Run(int status, String said) {}

    @BeforeEach
    void startService() throws Exception {
        site =
                new ServiceSite(
                        "plain-data = yes",
                        "allow = CN=bank copy*.set",
                        "allow = CN=watcher *.set read",
                        "allow = CN=operator *.set administer");
        machines = site.machines();
        bank = site.certificates().sign("bank", "CN=bank, O=Example");
        site.comeAs(bank);
        machines.poolSet(ServiceSite.TARGET, "copy.set", "64M");
        set = machines.poolSet("here", "pool.set", "64M", "localhost copy.set");
    }

    @AfterEach
    void endAll() {
        site.close();
    }

    private static List<String> ways() {
        return Boolean.getBoolean("test.deep") ? List.of("direct", "plain") : List.of("direct");
    }

    @ParameterizedTest
    @MethodSource("ways")
    @Tag("sliced")
    void commitsGoOnWhenTheServiceIsKilledAndStartedAgain(String data) throws Exception {
        machines.set("FARHEAP_DATA", data);
        Load load = Load.start(machines, set, seed, THREADS);
        load.awaitOpen();
        load.go();
        load.awaitCommits(30);
        assertThat(site.log())
                .anyMatch(
                        line ->
                                line.contains(
                                        "Data over " + (data.equals("plain") ? "tcp" : "tls")));

        site.kill();
        site.start();

        load.awaitCommits(30);
        assertThat(load.complaints()).isEmpty();
        load.close();
        assertEqual();
    }

    @Test
    @Tag("deep")
    void commandsWorkThroughIt() throws Exception {
        load();
        Files.delete(machines.machine(ServiceSite.TARGET).resolve("copy.part0"));
        Files.delete(machines.machine(ServiceSite.TARGET).resolve("copy.part0.journal"));

        assertThat(farheap("sync", set.toString()).status()).isZero();
        assertThat(farheap("status", set.toString()).said()).contains("current");
        assertThat(farheap("verify", set.toString()).status()).isZero();
        assertEqual();

        assertRefused(
                farheap("promote", "localhost copy.set"), "does not allow CN=bank to administer");
        site.comeAs(site.certificates().sign("watcher", "CN=watcher"));
        assertThat(farheap("status", set.toString()).said()).contains("current");
        assertRefused(farheap("verify", set.toString()), "does not allow CN=watcher to write");

        site.comeAs(site.certificates().sign("operator", "CN=operator"));
        Files.move(
                machines.here().resolve("pool.part0"),
                machines.here().resolve("lost"),
                StandardCopyOption.ATOMIC_MOVE);
        Run restored = agreeing("sync", set.toString());
        assertThat(restored.status()).as(restored.said()).isZero();
        load();
        assertEqual();

        Path wider =
                machines.poolSet(
                        "here", "wider.set", "64M", "localhost copy.set", "localhost second.set");
        machines.poolSet(ServiceSite.TARGET, "second.set", "64M");
        Run transformed = agreeing("transform", set.toString(), wider.toString());
        assertThat(transformed.status()).as(transformed.said()).isZero();
        assertThat(machines.machine(ServiceSite.TARGET).resolve("second.part0")).exists();
        Run removed = agreeing("rm", wider.toString());
        assertThat(removed.status()).as(removed.said()).isZero();
        assertThat(machines.machine(ServiceSite.TARGET).resolve("copy.part0")).doesNotExist();
        assertThat(machines.machine(ServiceSite.TARGET).resolve("second.part0")).doesNotExist();
        assertThat(site.service().isAlive()).isTrue();
    }

    /** It is ended for one replica by nobody: others would be lost with it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("deep")
    void aTakenOverSessionEndsAndTheServiceGoesOn(boolean onTheTarget) throws Exception {
        machines.set("FARHEAP_COMMIT_TIMEOUT", "3s");
        Load held = Load.start(machines, set, seed, THREADS);
        held.awaitOpen();
        Machines.signal("STOP", held.process());
        Path other = machines.poolSet("here", "other.set", "64M", "localhost copy2.set");
        machines.poolSet(ServiceSite.TARGET, "copy2.set", "64M");
        Load beside = Load.start(machines, other, seed, THREADS);
        beside.awaitOpen();
        beside.go();
        beside.awaitCommits(10);

        site.comeAs(site.certificates().sign("operator", "CN=operator"));
        Path copy = machines.machine(ServiceSite.TARGET).resolve("copy.set");
        Run promoted =
                agreeing(
                        "promote",
                        "--take-over",
                        onTheTarget ? copy.toString() : "localhost copy.set");

        assertThat(promoted.status()).as(promoted.said()).isZero();
        beside.awaitCommits(30);
        assertThat(beside.complaints()).isEmpty();
        beside.close();
        held.kill();
    }

    @Test
    @Tag("deep")
    void newCertificatesAndAllowancesCountForWhoComesThen() throws Exception {
        load();
        int before = site.log().size();
        Path agentConf = machines.machine(ServiceSite.TARGET).resolve("agent.conf");
        String text = Files.readString(agentConf);
        machines.write(agentConf, text.replace("allow = CN=bank copy*.set", "nonsense"));

        assertThat(farheap("status", set.toString()).said()).contains("current");
        site.awaitLogged(before, "What changed is not used");

        machines.write(agentConf, text.replace("allow = CN=bank copy*.set", ""));
        assertRefused(farheap("status", set.toString()), "does not allow CN=bank to read");
    }

    @Test
    void hangUpHasFilesReadAnewAndSessionsGoOn() throws Exception {
        Load load = Load.start(machines, set, seed, THREADS);
        load.awaitOpen();
        load.go();
        load.awaitCommits(10);
        hangUpAndAwait("The configuration and the certificates were read anew.");

        Path agentConf = machines.machine(ServiceSite.TARGET).resolve("agent.conf");
        String text = Files.readString(agentConf);
        machines.write(agentConf, text + "nonsense\n");
        String wrong =
                "What changed is not used, and what was before still is: Invalid config file line"
                        + " at agent.conf:";
        hangUpAndAwait(wrong);
        hangUpAndAwait(wrong);
        assertThat(farheap("status", set.toString()).said()).contains("current");

        machines.write(agentConf, text.replace("allow = CN=bank copy*.set", ""));
        hangUpAndAwait("were read anew");
        assertRefused(farheap("status", set.toString()), "does not allow CN=bank to read");
        load.awaitCommits(30);
        assertThat(load.complaints()).isEmpty();
        load.close();
        assertThat(site.service().isAlive()).isTrue();
    }

    private void hangUpAndAwait(String words) throws IOException {
        int before = site.log().size();
        Machines.signal("HUP", site.service().toHandle());
        site.awaitLogged(before, words);
    }

    @Test
    void oneThatAShellStartsEndsByHangUp() throws Exception {
        Process agent =
                Machines.heedingHangUp(machines.farheap("agent", "--config", "agent.conf"))
                        .directory(machines.machine(ServiceSite.TARGET).toFile())
                        .start();
        assertThat((char) agent.getInputStream().read()).isEqualTo('{');
        Machines.signal("HUP", agent.toHandle());
        assertThat(agent.waitFor()).isEqualTo(128 + 1);
    }

    /**
     * Who changes the names first and puts the files there a moment later has to restart nothing.
     */
    @Test
    @Tag("deep")
    void aCertificateThatIsNamedBeforeItIsThereCountsOnceItIs() throws Exception {
        load();
        PemFiles made = site.certificates().sign("new", "CN=new", "-ext", "eku=serverAuth");
        assertThat(farheap("status", set.toString()).said()).contains("current");
        int before = site.log().size();
        Path agentConf = machines.machine(ServiceSite.TARGET).resolve("agent.conf");
        String text = Files.readString(agentConf);
        machines.write(
                agentConf, text.replace("agent.pem", "late.pem").replace("agent.key", "late.key"));
        assertThat(farheap("status", set.toString()).said()).contains("current");
        site.awaitLogged(before, "What changed is not used");

        int meanwhile = site.log().size();
        Files.copy(made.key(), made.key().resolveSibling("late.key"));
        Files.copy(made.certificate(), made.certificate().resolveSibling("late.pem"));
        assertThat(farheap("status", set.toString()).said()).contains("current");
        site.awaitLogged(meanwhile, "were read anew");
    }

    private void load() {
        Load load = Load.start(machines, set, seed, THREADS);
        load.awaitOpen();
        load.go();
        load.awaitCommits(20);
        load.close();
    }

    private void assertEqual() {
        PoolState here = PoolState.ofLocalCopies(set).get(0);
        PoolState there =
                PoolState.ofFile(machines.machine(ServiceSite.TARGET).resolve("copy.part0"));
        assertThat(there.withoutBlocks()).isEqualTo(here.withoutBlocks());
        assertThat(there.inconsistencies()).isEmpty();
    }

    private static void assertRefused(Run run, String words) {
        assertThat(run.said()).contains(words);
        assertThat(run.status()).isNotZero();
    }

    private Run agreeing(String... words) throws IOException, InterruptedException {
        Run refused = farheap(words);
        String[] agreement = Agreement.words(refused.said());
        return agreement.length == 0 ? refused : farheap(agreement);
    }

    private Run farheap(String... words) throws IOException, InterruptedException {
        Process process = machines.farheap(words).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), said);
    }
}
