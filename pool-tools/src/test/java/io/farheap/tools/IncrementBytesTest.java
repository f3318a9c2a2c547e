package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an incremental backup takes beside a full one; docs/backup.md has the printed bytes. */
class IncrementBytesTest {
    private static final int CONTENT = 128 << 20;
    private static final int COMMITS = 1000;
    private static final long PIECE = 16 << 10;

    @TempDir private Path dir;
    private final Random random = new Random(21);

    @Test
    void anIncrementTakesThePiecesThatChanged() throws IOException {
        Path pool = dir.resolve("bank.pool");
        Path kept = Files.createDirectory(dir.resolve("kept"));
        try (ObjectPool made = ObjectPool.at(pool).layout("bank").size(192 << 20).create()) {
            Ref root = made.root(64);
            byte[] bytes = new byte[CONTENT];
            random.nextBytes(bytes);
            made.transaction(
                    tx -> {
                        Ref large = tx.allocate(CONTENT, 7);
                        tx.writeBytes(large, 0, bytes);
                        tx.setRef(root, 0, large);
                    });
        }
        JsonNode full = backup(pool, kept);

        try (ObjectPool opened = ObjectPool.open(pool, "bank")) {
            Ref large = opened.getRef(opened.root(64), 0);
            for (int i = 0; i < COMMITS; i++) {
                long at = (long) random.nextInt(CONTENT / Long.BYTES) * Long.BYTES;
                opened.transaction(tx -> tx.setLong(large, at, random.nextLong()));
            }
        }
        JsonNode increment = backup(pool, kept);
        JsonNode unchanged = backup(pool, kept);

        System.out.printf("full %s%nafter %d commits %s%n", full, COMMITS, increment);
        System.out.printf("after none %s%n", unchanged);
        assertThat(full.get("fileBytes").asLong()).isGreaterThan(CONTENT);
        assertThat(increment.get("fileBytes").asLong()).isLessThan((COMMITS + 50) * (PIECE + 100));
        assertThat(unchanged.get("fileBytes").asLong()).isLessThan(PIECE);
    }

    private static JsonNode backup(Path pool, Path kept) throws IOException {
        String said = Run.farheap("backup", "--json", "-i", pool, kept).succeeded().out();
        return new ObjectMapper().readTree(said);
    }
}
