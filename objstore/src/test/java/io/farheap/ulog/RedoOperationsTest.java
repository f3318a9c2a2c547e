package io.farheap.ulog;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RedoOperationsTest {
    private final RedoOperations operations = new RedoOperations();

    @Test
    void theSameOperationOnOneWordIsMerged() {
        operations.set(8, 1);
        operations.or(16, 0b01);
        operations.and(24, 0b0111);
        operations.set(8, 2);
        operations.or(16, 0b10);
        operations.and(24, 0b1110);

        assertThat(list()).containsExactly("SET 8 2", "OR 16 3", "AND 24 6");
    }

    @Test
    void differentOperationsOnOneWordKeepTheirOrder() {
        operations.or(8, 1);
        operations.and(8, 2);
        operations.or(8, 4);

        assertThat(list()).containsExactly("OR 8 1", "AND 8 2", "OR 8 4");
    }

    @Test
    void theyAreMergedHoweverManyLieBetween() {
        for (int round = 0; round < 3; round++) {
            operations.clear();
            for (int i = 0; i < 10_000; i++) {
                operations.and(8 * (1 + i * 7919L % 500), ~(1L << i % 64));
                operations.set(8 * (1000 + i * 7907L % 300), i);
            }
            assertThat(operations.size()).isEqualTo(800);
        }
        assertThat(operations.offset(0)).isEqualTo(8);
        assertThat(operations.value(0))
                .as("i: 0, 500, 1000, ...")
                .isEqualTo(0xEEEE_EEEE_EEEE_EEEEL);
    }

    @Test
    void theirOrderIsKeptHoweverManyLieBetween() {
        operations.or(8, 1);
        for (int i = 0; i < 200; i++) {
            operations.set(1000 + 8L * i, i);
        }
        operations.and(8, 2);
        operations.and(8, 3);
        operations.or(8, 4);

        assertThat(operations.size()).isEqualTo(203);
        assertThat(list()).startsWith("OR 8 1").endsWith("AND 8 2", "OR 8 4");
    }

    @Test
    void clearedItTakesNewOnes() {
        operations.set(8, 1);
        operations.clear();
        operations.or(8, 1);

        assertThat(list()).containsExactly("OR 8 1");
    }

    private String[] list() {
        String[] list = new String[operations.size()];
        for (int i = 0; i < list.length; i++) {
            list[i] = operations.kind(i) + " " + operations.offset(i) + " " + operations.value(i);
        }
        return list;
    }
}
