package io.farheap.replication.status;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.farheap.memory.NativeFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;

/**
 * A file beside the pool's first part in which the program that has it open says how its remote
 * replicas are: what nobody else knows of them, for those who look from outside. It is written over
 * in place, is never synced, proves nothing, and no decision rests on it.
 *
 * <pre>
 *   CRC32C of the rest, 8 hexadecimal digits, line feed
 *   {@link ProgramStatus} as JSON
 * </pre>
 */
public final class StatusFile {
    private static final int PREFIX_BYTES = 9;
    private static final int MOST_BYTES = 1 << 20;
    private static final int ATTEMPTS = 20;
    private static final long PAUSE_MILLIS = 5;
    private static final JsonMapper MAPPER =
            JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

    private StatusFile() {}

    /** What the file says; empty where there is none, or none that can be read. */
    public static Optional<ProgramStatus> read(Path file) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try {
                byte[] bytes = bytes(file);
                byte[] body =
                        Arrays.copyOfRange(
                                bytes, Math.min(PREFIX_BYTES, bytes.length), bytes.length);
                if (Arrays.equals(bytes, 0, bytes.length - body.length, prefix(body), 0, 9)) {
                    return Optional.of(MAPPER.readValue(body, ProgramStatus.class));
                }
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS); // it is being written
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return Optional.empty();
            } catch (IOException e) {
                return Optional.empty();
            }
        }
        return Optional.empty();
    }

    private static byte[] bytes(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw new NoSuchFileException(file.toString());
        }
        try (var in = Files.newInputStream(file)) {
            return in.readNBytes(MOST_BYTES);
        }
    }

    static byte[] encode(ProgramStatus status) {
        try {
            return MAPPER.writeValueAsBytes(status);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a status can't be written as JSON", e);
        }
    }

    /** Writes over what the file says. */
    static void write(NativeFile file, ProgramStatus status) {
        byte[] body = encode(status);
        byte[] prefix = prefix(body);
        byte[] all = Arrays.copyOf(prefix, prefix.length + body.length);
        System.arraycopy(body, 0, all, prefix.length, body.length);
        file.replace(all);
    }

    private static byte[] prefix(byte[] body) {
        CRC32C crc = new CRC32C();
        crc.update(body);
        return String.format("%08x\n", crc.getValue()).getBytes(StandardCharsets.US_ASCII);
    }
}
