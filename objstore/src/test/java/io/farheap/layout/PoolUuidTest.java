package io.farheap.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class PoolUuidTest {
    private static final String TEXT = "6d6e9c0a-9dd4-47b3-8393-f54d6126e420";

    @Test
    void isStoredAsALittleEndianStructure() {
        PoolUuid uuid = PoolUuid.of(UUID.fromString(TEXT));

        assertThat(HexFormat.of().formatHex(uuid.bytes()))
                .isEqualTo("0a9c6e6dd49db3478393f54d6126e420");
        assertThat(uuid).hasToString(TEXT).isEqualTo(PoolUuid.of(uuid.bytes()));
    }

    @Test
    void randomOnesAreOfVersionFourAndDiffer() {
        PoolUuid uuid = PoolUuid.random();

        assertThat(UUID.fromString(uuid.toString()).version()).isEqualTo(4);
        assertThat(uuid).isNotEqualTo(PoolUuid.random());
        assertThat(uuid.isZero()).isFalse();
        assertThat(PoolUuid.ZERO.isZero()).isTrue();
    }

    @Test
    void thePoolIdFoldsBothHalves() {
        byte[] stored = new byte[16];
        stored[0] = (byte) 0x80;
        stored[8] = 0x01;
        stored[7] = 0x22;
        stored[15] = (byte) 0xF0;

        assertThat(PoolUuid.of(stored).poolId()).isEqualTo(0x81000000000000D2L);
    }
}
