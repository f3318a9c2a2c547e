package io.farheap.replication.fabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.base.FarheapException;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.TargetListener;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.journal.RecordLayout;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The two ends on two machines, which run this side by side: guests of the lab. The second is the
 * target; in the end it is stopped, so that not even its network card answers.
 */
final class TwoMachines {
    private static final int REGION = 1 << 20;
    private static final int ROUNDS = 500;
    private static final int LENGTH = 5000;
    private static final Duration BOUND = Duration.ofSeconds(120);
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final byte[] SECRET = new byte[Fabric.SECRET_BYTES];

    /** Both see it. */
    private static final Path SHARED = Path.of("/run/lab");

    private final Fabric fabric = VerbsFabrics.open(WaitStrategy.DEFAULT);
    private final MemorySegment memory = Arena.ofAuto().allocate(REGION, 64);
    private final MemorySegment message = Arena.ofAuto().allocate(64, 64);

    /** Of the first machine. */
    private Connection connection;

    private TwoMachines() {}

    public static void main(String[] args) {
        int status = 1;
        try {
            TwoMachines machine = new TwoMachines();
            if (System.getenv("LAB_NODE").equals("1")) {
                machine.serve();
            } else {
                machine.exchange();
                machine.stopTheOther();
            }
            status = 0;
        } catch (Exception | AssertionError e) {
            e.printStackTrace();
        }
        System.exit(status); // Awaitility's threads would stay
    }

    /** Says with each answer what is in its memory. */
    private void serve() throws IOException {
        TargetListener listener = fabric.listen(address("LAB_ADDRESS"), 0, SECRET, memory);
        Path note = SHARED.resolve("port.new");
        Files.writeString(note, Integer.toString(listener.port()));
        Files.move(note, SHARED.resolve("port"));
        try (var end = listener.accept(BOUND)) {
            while (true) {
                int done =
                        end.await(
                                (m, at, n) -> {
                                    message.set(
                                            RecordLayout.LONG,
                                            0,
                                            memory.get(
                                                    RecordLayout.LONG,
                                                    m.get(RecordLayout.LONG, at)));
                                    end.send(message, 0, 8);
                                },
                                BOUND.toNanos());
                if (done > 0) {
                    end.post();
                }
            }
        }
    }

    private static InetAddress address(String variable) throws IOException {
        return InetAddress.getByName(System.getenv(variable));
    }

    private Connection connect() throws IOException {
        Path note = SHARED.resolve("port");
        await().atMost(BOUND).until(() -> Files.exists(note));
        int port = Integer.parseInt(Files.readString(note));
        return fabric.connect(
                new InetSocketAddress(address("LAB_OTHER"), port), SECRET, memory, BOUND);
    }

    private void exchange() throws IOException {
        connection = connect();
        for (int round = 0; round < ROUNDS; round++) {
            long at = (long) round * LENGTH % (REGION - LENGTH) & -8;
            long expected = round + 1L;
            memory.set(RecordLayout.LONG, at, expected);
            connection.write(at, LENGTH, at);
            message.set(RecordLayout.LONG, 0, at);
            connection.send(message, 0, 8);
            connection.post();
            int done =
                    connection.await(
                            (m, o, n) ->
                                    assertThat(m.get(RecordLayout.LONG, o)).isEqualTo(expected),
                            BOUND.toNanos());
            assertThat(done).isEqualTo(1);
        }
        System.out.println(ROUNDS + " records written and answered");
    }

    private void stopTheOther() throws IOException {
        Files.createFile(SHARED.resolve("stop-1"));
        long begin = System.nanoTime();
        int answers = 0;
        try {
            while (System.nanoTime() - begin < BOUND.toNanos()) {
                message.set(RecordLayout.LONG, 0, 0);
                connection.write(0, LENGTH, 0);
                connection.send(message, 0, 8);
                connection.post();
                // It may have stopped when its card had taken all and its program had not answered:
                // then only what is posted next goes without its card's answer.
                answers += connection.await((m, o, n) -> {}, PATIENCE.toNanos());
            }
            throw new AssertionError("not noticed, after answers: " + answers);
        } catch (FarheapException e) {
            System.out.printf(
                    "after %d s: %s%n",
                    (System.nanoTime() - begin) / 1_000_000_000, e.getMessage());
            assertThat(e).hasMessageContaining("network card does not answer");
        } finally {
            connection.close();
        }
    }
}
