package io.farheap.availability;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The record as bytes in the store: what was written is read, anything else is refused. */
class ClusterRecordCodecTest {
    private static final String NONCE = "00112233445566778899aabbccddeeff";
    private static final String GOLDEN =
            "{\"format\":1,\"term\":7,\"writer\":\"a\",\"set\":[\"a\",\"b\"],\"number\":1234,"
                    + "\"plan\":3,\"nonce\":\""
                    + NONCE
                    + "\"}";
    private static final ClusterRecord RECORD =
            new ClusterRecord(7, "a", new TreeSet<>(List.of("b", "a")), 1234, 3, NONCE);

    private static ClusterRecord decode(String text) {
        return ClusterRecordCodec.decode("farheap/c/pools/p/record", text.getBytes(UTF_8));
    }

    @Test
    void itIsWrittenLikeThis() {
        assertThat(new String(ClusterRecordCodec.encode(RECORD), UTF_8)).isEqualTo(GOLDEN);
        assertThat(decode(GOLDEN)).isEqualTo(RECORD);
    }

    /** By it copies know the record from an earlier one. */
    @Test
    void itsIdStaysThroughATakeOverAndASwitch() {
        String text = GOLDEN.replace("\"}", "\",\"id\":4711}");
        ClusterRecord read = decode(text);
        assertThat(new String(ClusterRecordCodec.encode(read), UTF_8)).isEqualTo(text);
        ClusterRecord switched =
                read.takenOver("b", NONCE).switched(new TreeSet<>(List.of("b")), 1236, NONCE);
        assertThat(switched.id()).isEqualTo(4711);
        assertThat(decode(GOLDEN).id()).as("an earlier release's").isZero();
    }

    /** A node that is upgraded last changes the record, too. */
    @Test
    void whatALaterReleaseAddsIsKeptThroughATakeOverAndASwitch() {
        String more = "\"more\":{\"a\":[1]},\"most\":\"b\"";
        ClusterRecord read = decode(GOLDEN.replace("{\"format", "{" + more + ",\"format"));
        assertThat(new ClusterRecord(7, "a", RECORD.set(), 1234, 3, NONCE)).isEqualTo(RECORD);
        assertThat(read.term()).isEqualTo(7);

        ClusterRecord taken = read.takenOver("b", NONCE);
        ClusterRecord switched = taken.switched(new TreeSet<>(List.of("b")), 1236, NONCE);
        String written = new String(ClusterRecordCodec.encode(switched), UTF_8);
        assertThat(written)
                .isEqualTo(
                        "{\"format\":1,\"term\":8,\"writer\":\"b\",\"set\":[\"b\"],"
                                + "\"number\":1236,\"plan\":3,\"nonce\":\""
                                + NONCE
                                + "\","
                                + more
                                + "}");
        assertThat(decode(written)).isEqualTo(switched);
    }

    @Test
    void anotherFormatIsRefusedByName() {
        assertThatThrownBy(() -> decode(GOLDEN.replace("\"format\":1", "\"format\":2")))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("farheap/c/pools/p/record has format 2")
                .hasMessageContaining("upgrade this node, which does not take over");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"term\":7 > \"term\":0",
                "\"term\":7 > \"term\":-1",
                "\"term\":7 > \"term\":\"7\"",
                "\"term\":7 > \"term\":7.0",
                "\"term\":7 > \"term\":9223372036854775808",
                "\"term\":7, > ",
                "\"writer\":\"a\" > \"writer\":\"c\"",
                "\"writer\":\"a\" > \"writer\":1",
                "\"set\":[\"a\",\"b\"] > \"set\":[]",
                "\"set\":[\"a\",\"b\"] > \"set\":[\"a\",\"a\"]",
                "\"set\":[\"a\",\"b\"] > \"set\":\"a\"",
                "\"set\":[\"a\",\"b\"] > \"set\":[\"a\",2]",
                "\"set\":[\"a\",\"b\"] > \"set\":[\"a\",\"-b\"]",
                "\"set\":[\"a\",\"b\"] > \"set\":[\"a\",\"b/c\"]",
                "\"number\":1234 > \"number\":0",
                "\"plan\":3 > \"plan\":-3",
                "00112233 > 0011223",
                "00112233 > 0011223X",
                "} > ",
                "} > }}",
                "{ > [",
                "\"plan\":3 > \"plan\":3,\"plan\":3"
            })
    void whatIsNoRecordIsRefused(String change) {
        String[] parts = change.split(" > ", -1);
        String changed = GOLDEN.replace(parts[0], parts[1]);
        assertThat(changed).isNotEqualTo(GOLDEN);

        assertThatThrownBy(() -> decode(changed))
                .isInstanceOf(FarheapException.class)
                .hasMessageStartingWith("The record farheap/c/pools/p/record in the store can't")
                .hasMessageEndingWith("commits go on.");
    }

    @Test
    void anyRecordComesBack() {
        Random random = new Random(1);
        for (int i = 0; i < 2_000; i++) {
            ClusterRecord record = any(random);
            assertThat(decode(new String(ClusterRecordCodec.encode(record), UTF_8)))
                    .isEqualTo(record);
        }
    }

    /** Bytes changed, cut and repeated: a record that is valid, or an error that says so. */
    @Test
    void anyBytesAreARecordOrRefused() {
        Random random = new Random(2);
        int valid = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = ClusterRecordCodec.encode(any(random));
            for (int changes = random.nextInt(4); changes >= 0; changes--) {
                bytes = changed(bytes, random);
            }
            byte[] input = bytes;
            Throwable thrown = catchThrowable(() -> ClusterRecordCodec.decode("key", input));
            if (thrown == null) {
                valid++;
            } else {
                assertThat(thrown).isInstanceOf(FarheapException.class);
                assertThat(((FarheapException) thrown).category()).isEqualTo(Category.BAD_DATA);
            }
        }
        assertThat(valid).isBetween(1, 19_000);
    }

    private static byte[] changed(byte[] bytes, Random random) {
        if (bytes.length == 0) {
            return new byte[] {(byte) random.nextInt()};
        }
        int at = random.nextInt(bytes.length);
        switch (random.nextInt(3)) {
            case 0 -> {
                bytes[at] = (byte) random.nextInt();
                return bytes;
            }
            case 1 -> {
                return java.util.Arrays.copyOf(bytes, at);
            }
            default -> {
                bytes[at] = (byte) "0123456789abcdef\"{}[],:-.".charAt(random.nextInt(25));
                return bytes;
            }
        }
    }

    private static ClusterRecord any(Random random) {
        TreeSet<String> set = new TreeSet<>();
        int size = 1 + random.nextInt(ClusterRecord.MOST_NODES);
        while (set.size() < size) {
            set.add("node-" + random.nextInt(1000) + (random.nextBoolean() ? ".example.com" : ""));
        }
        byte[] nonce = new byte[16];
        random.nextBytes(nonce);
        return new ClusterRecord(
                1 + random.nextLong(Long.MAX_VALUE),
                set.first(),
                set,
                random.nextBoolean() ? 2 + random.nextLong(Long.MAX_VALUE - 2) : -2,
                random.nextLong(Long.MAX_VALUE),
                HexFormat.of().formatHex(nonce));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a/b", "-a", ".", "a b", "\u00e4"})
    void namesThatAreNoPartsOfKeysAreRefused(String name) {
        assertThatThrownBy(() -> new PoolKeys("cluster", name))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("can't be the name of a pool");
    }

    @Test
    void thePoolsKeysAreThese() {
        PoolKeys keys = new PoolKeys("prod", "bank");
        assertThat(keys.record()).isEqualTo("farheap/prod/pools/bank/record");
        assertThat(keys.lead()).isEqualTo("farheap/prod/pools/bank/lead");
    }
}
