package io.farheap.it.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.it.support.Agreement;
import io.farheap.it.support.Machines;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** In a guest of the lab: the one device there is for journals, from replica to replica. */
@Tag("rdma")
class DeviceJournalTest {
    private static final String DEVICE = System.getProperty("rdma.journals");
    private static final String LIBPMEM = "/usr/lib/x86_64-linux-gnu/libpmem.so.1";
    private static final String REGION = " of region1, which says memory_controller";

    private Machines machines;
    private Path set;

    @BeforeEach
    void pool() {
        machines = Machines.with("there", "elsewhere");
        machines.set("FARHEAP_HEARTBEAT", "20s");
        for (String target : new String[] {"there", "elsewhere"}) {
            machines.configure(target, "journal-size = 1M", "heartbeat-bound = 100000");
            machines.poolSet(target, "copy.set", "16M");
        }
        set = machines.poolSet("here", "pool.set", "16M", "there copy.set");
    }

    @AfterEach
    void end() {
        machines.close();
    }

    private String said(int status, String... arguments) throws Exception {
        Process process = machines.farheap(arguments).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        System.out.println(String.join(" ", arguments) + "\n" + said);
        assertThat(process.waitFor()).as(said).isEqualTo(status);
        return said;
    }

    private String probe(String target) throws Exception {
        String configuration = machines.machine(target).resolve("agent.conf").toString();
        return said(0, "agent", "--config", configuration, "--probe", "copy.set");
    }

    @Test
    void aReplicaHasItUntilItIsRemovedAndNobodyElseMeanwhile() throws Exception {
        String free = probe("there");
        assertThat(free)
                .contains(
                        "device " + DEVICE + ": 254 MiB, free, on the device dax1.0" + REGION,
                        "journal: APM, as a READ proves",
                        "with the journal on the device dax1.0" + REGION,
                        "records are written to the journal itself: the card can reach it",
                        "it is on " + DEVICE);

        said(0, "create", set.toString(), "--layout", "bank");
        Path journal = machines.machine("there").resolve("copy.part0.journal");
        assertThat(Files.readSymbolicLink(journal)).isEqualTo(Path.of(DEVICE));
        assertThat(log("there")).contains("APM: a READ proves");
        assertThat(probe("there"))
                .contains("has the journal " + journal + ", on", "journal: APM", "it is on");
        assertThat(said(0, "status", set.toString())).contains("2, 2 without a fault");
        assertThat(said(0, "verify", set.toString())).contains("all 2 copies are equal");

        Path other = machines.poolSet("here", "other.set", "16M", "elsewhere copy.set");
        assertThat(probe("elsewhere")).contains("none: ", "has the journal " + journal);
        assertThat(said(4, "create", other.toString(), "--layout", "bank"))
                .contains("The target can make no journal on a device", "has the journal");

        said(0, Agreement.words(said(2, "rm", set.toString())));
        assertThat(Files.exists(journal, LinkOption.NOFOLLOW_LINKS)).isFalse();
        assertThat(probe("elsewhere")).contains("MiB, free");
        said(0, "create", other.toString(), "--layout", "bank");
        said(0, Agreement.words(said(2, "rm", other.toString())));
    }

    /** Nobody claims that stores are durable there which nothing flushes. */
    @Test
    void withoutLibpmemItIsNotTaken() throws Exception {
        String configuration = machines.machine("there").resolve("agent.conf").toString();
        ProcessBuilder agent =
                machines.farheap("agent", "--config", configuration, "--probe", "copy.set");
        agent.command()
                .addAll(
                        0,
                        List.of(
                                "unshare",
                                "--mount",
                                "sh",
                                "-c",
                                "mount --bind /dev/null $(realpath " + LIBPMEM + ") && exec \"$@\"",
                                "without-libpmem"));
        Process process = agent.redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        System.out.println(said);
        assertThat(process.waitFor()).as(said).isZero();
        assertThat(said)
                .contains(
                        "journal: none: The target can make no journal on a device: stores to the"
                                + " device DAX "
                                + DEVICE
                                + " cannot be made durable: that takes libpmem, which is not"
                                + " installed");
    }

    private String log(String target) throws IOException {
        return Files.readString(machines.machine(target).resolve("agent.log"));
    }
}
