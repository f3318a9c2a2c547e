package io.farheap.live;

import io.farheap.base.FarheapException;
import io.farheap.layout.PoolHeader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Asks the process that has a pool open for a copy of it, or for what it counts. */
public final class LiveClient implements AutoCloseable {
    /** A program listens a second after it has opened its first pool. */
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(5);

    /** Many zeros of an image are read for long, and none of them is sent. */
    private static final long COPY_MINUTES = 30;

    private static final long FIGURES_SECONDS = 60;

    /** It is taken up at once, or after what is under way with replicas. */
    private static final long RELOAD_MINUTES = 10;

    private static final String UNKNOWN =
            "; nothing tells whether it has taken the poolset file up: farheap status shows which"
                    + " replicas it has; once it answers, or another program has the pool, the same"
                    + " command again changes nothing that is done";

    private static final int PAUSE_MILLIS = 50;

    private final PatientChannel connection;
    private final long pid;

    private LiveClient(PatientChannel connection, long pid) {
        this.connection = connection;
        this.pid = pid;
    }

    /**
     * Connects, and waits for a while where the process does not listen yet.
     *
     * @param pid the process's number
     * @param instead what else the user can do
     * @throws FarheapException ENVIRONMENT where it does not listen
     */
    public static LiveClient connect(long pid, String instead) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE;
        while (true) {
            try {
                return new LiveClient(connected(pid), pid);
            } catch (IOException e) {
                if (System.nanoTime() - end > 0 || !Files.exists(Path.of("/proc/" + pid))) {
                    throw FarheapException.environment(
                            e,
                            "process %s, which has the pool open, can't be asked: it is a C"
                                    + " program, an agent with a replica, another user's, of an"
                                    + " older Farheap, a farheap command at its work (wait until"
                                    + " it ends), or it has just ended; %s, or run this as that"
                                    + " program's user",
                            pid,
                            instead);
                }
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        }
    }

    private static PatientChannel connected(long pid) throws IOException {
        IOException first = null;
        for (Path place : LivePlace.ofProcess(pid)) {
            SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            try {
                return PatientChannel.connect(channel, place, pid);
            } catch (IOException e) {
                channel.close();
                first = first == null ? e : first;
            }
        }
        throw first;
    }

    /**
     * Receives a copy, which is complete when this returns.
     *
     * @throws FarheapException ENVIRONMENT with what the process says, or when it ends meanwhile,
     *     is stopped or says nothing for long
     * @throws IOException of the receiver
     */
    public LivePoint copy(long poolId, LiveReceiver receiver) throws IOException {
        connection.setPatience(COPY_MINUTES, TimeUnit.MINUTES);
        talk(() -> LiveMessages.writeFully(connection, LiveMessages.requestForCopy(poolId)));
        ByteBuffer head = ByteBuffer.allocate(LiveMessages.HEAD_BYTES);
        MemorySegment content = Arena.ofAuto().allocate(LiveMessages.MOST_BYTES, Long.BYTES);
        while (true) {
            head.clear();
            talk(() -> LiveMessages.readFully(connection, head));
            int type = head.getInt();
            int length = head.getInt();
            long number = head.getLong();
            if (length < 0 || length > LiveMessages.MOST_BYTES) {
                throw strange();
            }
            MemorySegment bytes = content.asSlice(0, length);
            talk(() -> LiveMessages.readFully(connection, bytes.asByteBuffer()));
            switch (type) {
                case LiveMessages.BEGIN -> receiver.begin(number, header(bytes));
                case LiveMessages.RANGE -> receiver.range(number, bytes);
                case LiveMessages.COMPLETE -> {
                    return point(number, bytes);
                }
                case LiveMessages.FAILED ->
                        throw FarheapException.environment(
                                "process %s says: %s",
                                pid, StandardCharsets.UTF_8.decode(bytes.asByteBuffer()));
                default -> throw strange();
            }
        }
    }

    /**
     * What the pool counts now, by name, and when that was: nanoseconds of a clock of the process.
     *
     * @throws FarheapException ENVIRONMENT when the process has closed the pool, has ended, is
     *     stopped or does not answer
     */
    public LiveFigures figures(long poolId) {
        return figures(poolId, Duration.ofSeconds(FIGURES_SECONDS));
    }

    /**
     * As {@link #figures(long)}, of a process that answers within a time.
     *
     * @throws FarheapException as there
     */
    public LiveFigures figures(long poolId, Duration patience) {
        connection.setPatience(patience.toMillis(), TimeUnit.MILLISECONDS);
        ByteBuffer head = ByteBuffer.allocate(LiveMessages.HEAD_BYTES);
        talk("", () -> LiveMessages.writeFully(connection, LiveMessages.requestForFigures(poolId)));
        talk("", () -> LiveMessages.readFully(connection, head));
        int type = head.getInt();
        int length = head.getInt();
        long number = head.getLong();
        if (length < 0 || length > LiveMessages.MOST_FIGURES_BYTES) {
            throw strange();
        }
        ByteBuffer bytes = ByteBuffer.allocate(length);
        talk("", () -> LiveMessages.readFully(connection, bytes));
        String text = StandardCharsets.UTF_8.decode(bytes).toString();
        if (type == LiveMessages.FAILED) {
            throw FarheapException.environment("process %s says: %s", pid, text);
        }
        if (type != LiveMessages.FIGURES) {
            throw strange();
        }
        return LiveFigures.parse(number, text).orElseThrow(this::strange);
    }

    /**
     * Has the pool's poolset file read again.
     *
     * @param alone whether the program's copy may be the only one then that has every commit
     * @return what the program has read, and taken up
     * @throws FarheapException ENVIRONMENT with what the process says: nothing has changed then; or
     *     when it ends meanwhile, is stopped or does not answer: then nothing tells whether
     *     anything has
     */
    public ReloadedFile reload(long poolId, boolean alone) {
        return reload(poolId, alone, Duration.ofMinutes(RELOAD_MINUTES));
    }

    ReloadedFile reload(long poolId, boolean alone, Duration patience) {
        connection.setPatience(patience.toMillis(), TimeUnit.MILLISECONDS);
        ByteBuffer head = ByteBuffer.allocate(LiveMessages.HEAD_BYTES);
        talk(
                UNKNOWN,
                () ->
                        LiveMessages.writeFully(
                                connection, LiveMessages.requestToReload(poolId, alone)));
        talk(UNKNOWN, () -> LiveMessages.readFully(connection, head));
        int type = head.getInt();
        int length = head.getInt();
        if (length < 0 || length > LiveMessages.MOST_FIGURES_BYTES) {
            throw strange();
        }
        ByteBuffer bytes = ByteBuffer.allocate(length);
        talk(UNKNOWN, () -> LiveMessages.readFully(connection, bytes));
        String text = StandardCharsets.UTF_8.decode(bytes).toString();
        if (type == LiveMessages.FAILED) {
            throw FarheapException.environment("process %s says: %s", pid, text);
        }
        if (type != LiveMessages.RELOADED) {
            throw strange();
        }
        return ReloadedFile.parse(text).orElseThrow(this::strange);
    }

    /** Whether this failed as the process has the pool, and is stopped or does not answer. */
    public static boolean isSilence(FarheapException failure) {
        return failure.getCause() instanceof PatientChannel.SilentException;
    }

    private interface Talk {
        void run() throws IOException;
    }

    private void talk(Talk talk) {
        talk(": there is no backup; give the same command again", talk);
    }

    private void talk(String then, Talk talk) {
        try {
            talk.run();
        } catch (PatientChannel.SilentException e) {
            throw FarheapException.environment(
                    e,
                    "process %s, which has the pool open, %s%s; \"kill -CONT %s\" lets one go on"
                            + " that is stopped",
                    pid,
                    e.getMessage(),
                    then,
                    pid);
        } catch (IOException e) {
            throw FarheapException.environment(
                    e,
                    "process %s, which had the pool open, ended or closed it meanwhile (%s)%s",
                    pid,
                    e.getMessage(),
                    then);
        }
    }

    private MemorySegment header(MemorySegment bytes) {
        if (bytes.byteSize() != PoolHeader.SIZE) {
            throw strange();
        }
        return bytes;
    }

    private LivePoint point(long runId, MemorySegment bytes) {
        if (bytes.byteSize() != LiveMessages.COMPLETE_BYTES) {
            throw strange();
        }
        ByteBuffer rest = bytes.asByteBuffer();
        return new LivePoint(runId, rest.getLong(), rest.getLong());
    }

    private FarheapException strange() {
        return FarheapException.environment(
                "process %s answers what this version does not know: use the farheap command of"
                        + " that program's version",
                pid);
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (IOException e) {
            Thread.yield(); // it ends with this process, whatever the system says
        }
    }
}
