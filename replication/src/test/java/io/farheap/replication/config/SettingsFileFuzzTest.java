package io.farheap.replication.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.farheap.base.FarheapException;
import io.farheap.fuzz.Inputs;
import io.farheap.replication.control.ControlCodec;
import io.farheap.replication.control.Purpose;
import io.farheap.replication.control.Request;
import io.farheap.replication.control.SessionOwner;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.fabric.FabricKind;
import io.farheap.replication.session.PoolIdentity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Any bytes in the file beside a poolset file: it is understood, or refused with its line; and what
 * is understood can be used.
 */
class SettingsFileFuzzTest {
    private static final long SECONDS = 5;
    private static final long FREE_BYTES = 8 << 20;

    /** Of the file, as text, lines and patterns. */
    private static final long BYTES_PER_BYTE = 2000;

    private static final List<String> DURATIONS =
            List.of(
                    "attach-timeout",
                    "commit-timeout",
                    "heartbeat",
                    "work-timeout",
                    "spin",
                    "yield",
                    "retry-pause",
                    "lag-time");

    private static Path directory;
    private static Path set;
    private static Path file;

    @BeforeAll
    static void make() throws IOException {
        directory = Files.createTempDirectory("farheap");
        set = directory.resolve("bank.set");
        file = directory.resolve("bank.set.replication");
    }

    @AfterAll
    static void delete() throws IOException {
        Files.deleteIfExists(file);
        Files.delete(directory);
    }

    @Test
    void inputs() throws Exception {
        Inputs.replay(getClass(), "anything", seeds(), SettingsFileFuzzTest::take);
    }

    @Tag("fuzz")
    @MethodSource("seeds")
    @FuzzTest
    void anything(byte[] input) throws Exception {
        Inputs.again(SettingsFileFuzzTest::take, input);
    }

    static Stream<byte[]> seeds() {
        List<String> seeds = new ArrayList<>();
        seeds.add("policy = degrade # all\npolicy me@far:22 bank.set = fail\n\n");
        seeds.add("policy = async\nlag-bytes = 600\nlag-time = 3ms\nscrub = off\nscrub = 1M");
        seeds.add("data = ssh\nfabric = verbs\ndata = direct\nfabric = tcp");
        seeds.add("policy far bank.set = nothing");
        seeds.add("no = thing");
        for (String key : DURATIONS) {
            for (String value :
                    List.of("0us", "1us", "86400s", "86401s", "999999999m", "5", "s", "")) {
                seeds.add(key + " = " + value);
            }
        }
        for (String value : List.of("0", "1K", "999999999G", "99999999999G", "-1")) {
            seeds.add("lag-bytes = " + value);
            seeds.add("catch-up-limit = " + value);
            seeds.add("scrub = " + value);
        }
        return seeds.stream().map(text -> text.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static void take(byte[] input) throws Exception {
        Files.write(file, input);
        Inputs.bounded(SECONDS, FREE_BYTES + BYTES_PER_BYTE * input.length, () -> use());
    }

    private static void use() {
        ReplicationSettings settings;
        try {
            Map<String, String> merged = ReplicationFile.over(set, Map.of("FARHEAP_SPIN", "5us"));
            settings = ReplicationSettings.from(merged);
            assertThat(ScrubPace.from(merged)).isNotNull();
        } catch (FarheapException e) {
            assertThat(e.getMessage()).startsWith(file + ":");
            return;
        }
        assertThat(settings.attachTimeout().plus(settings.commitTimeout()).toNanos()).isPositive();
        assertThat(settings.workTimeout().toNanos()).isPositive();
        assertThat(settings.stream().idle().toNanos()).isPositive();
        assertThat(settings.catchUpLimit()).isPositive();
        assertThat(settings.longestPause().multipliedBy(100).toNanos()).isPositive();
        assertThat(settings.policies().of("far bank.set", null)).isNotNull();
        byte[] hello = ControlCodec.encode(hello(settings));
        assertThat(ControlCodec.decodeRequest(hello)).isEqualTo(hello(settings));
    }

    /** What an initiator tells the agent of them. */
    private static Request.Hello hello(ReplicationSettings settings) {
        return PoolIdentity.UNKNOWN.hello(
                Purpose.VERIFY,
                "r.set",
                2,
                0,
                List.of(),
                SlotReport.NOT_KNOWN,
                false,
                false,
                SessionOwner.NONE,
                FabricKind.TCP_ONLY,
                settings);
    }
}
