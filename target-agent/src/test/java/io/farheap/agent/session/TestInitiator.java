package io.farheap.agent.session;

import io.farheap.agent.config.AgentConfiguration;
import io.farheap.agent.config.AgentConfiguration.Key;
import io.farheap.agent.data.TargetMachine;
import io.farheap.agent.log.AgentLog;
import io.farheap.agent.store.SimulatedReplica;
import io.farheap.layout.FeatureFlags;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.ControlCodec;
import io.farheap.replication.control.LineChannel;
import io.farheap.replication.control.Purpose;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.Request;
import io.farheap.replication.control.SessionOwner;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.fabric.FabricKind;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The far end of a control connection to an agent that runs in this process, on real files. */
public final class TestInitiator implements AutoCloseable {
    public static final long IMAGE_BYTES = 9 << 20;
    public static final PoolUuid POOL = PoolUuid.random();

    private final Pipe toAgent;
    private final Pipe toInitiator;
    private final LineChannel channel;
    private final CompletableFuture<Boolean> ended;

    private TestInitiator(AgentConfiguration configuration, TargetMachine machine)
            throws IOException {
        toAgent = Pipe.open();
        toInitiator = Pipe.open();
        channel =
                new LineChannel(
                        Channels.newInputStream(toInitiator.source()),
                        Channels.newOutputStream(toAgent.sink()));
        LineChannel agents =
                new LineChannel(
                        Channels.newInputStream(toAgent.source()),
                        Channels.newOutputStream(toInitiator.sink()));
        AgentLog log = new AgentLog(AgentConfiguration.LogLevel.DEBUG, new Unread());
        ended =
                CompletableFuture.supplyAsync(
                        () -> new Session(configuration, machine, agents, log).run(),
                        task -> Thread.ofPlatform().daemon().name("agent").start(task));
    }

    private static final class Unread implements AgentLog.Sink {
        @Override
        public void write(AgentConfiguration.LogLevel level, String message) {}

        @Override
        public void close() {}
    }

    /** An agent of that poolset directory, greeted. */
    public static TestInitiator connect(Path directory, String... settings) throws IOException {
        return connect(directory, TargetMachine.here(), settings);
    }

    /** The same on another machine. */
    public static TestInitiator connect(Path directory, TargetMachine machine, String... settings)
            throws IOException {
        Map<Key, String> values = new EnumMap<>(Key.class);
        values.put(Key.POOLSET_DIR, directory.toString());
        values.put(Key.JOURNAL_SIZE, "64K");
        for (int i = 0; i < settings.length; i += 2) {
            values.put(Key.of(settings[i]), settings[i + 1]);
        }
        TestInitiator initiator =
                new TestInitiator(
                        AgentConfiguration.of(values, directory.resolve("home")), machine);
        if (!(initiator.hear() instanceof Reply.Greeting)) {
            throw new IllegalStateException("no greeting");
        }
        return initiator;
    }

    /** A hello that attaches {@link #POOL}. */
    public static Request.Hello attach(String poolset, long runId, long nextRunId) {
        return hello(Purpose.ATTACH, poolset, runId, nextRunId, 1000, false);
    }

    public static Request.Hello hello(
            Purpose purpose,
            String poolset,
            long runId,
            long nextRunId,
            int heartbeatMillis,
            boolean takeOver) {
        boolean attach = purpose == Purpose.ATTACH;
        return new Request.Hello(
                Reply.VERSION,
                purpose,
                poolset,
                attach ? HexFormat.of().formatHex(POOL.bytes()) : "",
                attach ? SimulatedReplica.LAYOUT : "",
                attach ? IMAGE_BYTES : 0,
                attach ? header(POOL) : Blob.EMPTY,
                runId,
                nextRunId,
                List.of(),
                SlotReport.NOT_KNOWN,
                false,
                takeOver,
                false,
                "a test",
                heartbeatMillis,
                SessionOwner.NONE,
                FabricKind.TCP_ONLY,
                null,
                null,
                null);
    }

    /** The hello of who removes the replica of a pool that it knows. */
    static Request.Hello removal(String poolset, PoolUuid pool, boolean takeOver) {
        return new Request.Hello(
                Reply.VERSION,
                Purpose.REMOVE,
                poolset,
                HexFormat.of().formatHex(pool.bytes()),
                "",
                0,
                Blob.EMPTY,
                0,
                0,
                List.of(),
                SlotReport.NOT_KNOWN,
                false,
                takeOver,
                false,
                "a test",
                1000,
                SessionOwner.NONE,
                FabricKind.TCP_ONLY,
                null,
                null,
                null);
    }

    /** The same hello of an initiator that can use other fabrics. */
    static Request.Hello offering(Request.Hello hello, FabricKind... fabrics) {
        return like(hello, List.of(fabrics), hello.mode());
    }

    /** The same hello of a pool whose files have this mode. */
    static Request.Hello withMode(Request.Hello hello, int mode) {
        return like(hello, hello.fabrics(), mode);
    }

    /** The same hello of a writer of that term. */
    static Request.Hello withTerm(Request.Hello hello, long term) {
        return like(hello, hello.fabrics(), hello.mode(), term);
    }

    /** The same hello of a program of other versions of the protocol. */
    static Request.Hello speaking(Request.Hello hello, Integer lowest, int highest) {
        return new Request.Hello(
                highest,
                hello.purpose(),
                hello.poolset(),
                hello.poolsetUuid(),
                hello.layout(),
                hello.imageSize(),
                hello.header(),
                hello.runId(),
                hello.nextRunId(),
                hello.descendsFrom(),
                hello.committed(),
                hello.overwrite(),
                hello.takeOver(),
                hello.tunnel(),
                hello.initiator(),
                hello.heartbeatMillis(),
                hello.owner(),
                hello.fabrics(),
                hello.mode(),
                hello.term(),
                lowest);
    }

    /** The same hello of another pool. */
    static Request.Hello ofPool(Request.Hello hello, PoolUuid pool) {
        return new Request.Hello(
                hello.version(),
                hello.purpose(),
                hello.poolset(),
                HexFormat.of().formatHex(pool.bytes()),
                hello.layout(),
                hello.imageSize(),
                header(pool),
                hello.runId(),
                hello.nextRunId(),
                hello.descendsFrom(),
                hello.committed(),
                hello.overwrite(),
                hello.takeOver(),
                hello.tunnel(),
                hello.initiator(),
                hello.heartbeatMillis(),
                hello.owner(),
                hello.fabrics(),
                hello.mode(),
                hello.term(),
                null);
    }

    /** The same hello of who may overwrite whatever is there. */
    static Request.Hello overwriting(Request.Hello hello) {
        return new Request.Hello(
                hello.version(),
                hello.purpose(),
                hello.poolset(),
                hello.poolsetUuid(),
                hello.layout(),
                hello.imageSize(),
                hello.header(),
                hello.runId(),
                hello.nextRunId(),
                hello.descendsFrom(),
                hello.committed(),
                true,
                hello.takeOver(),
                hello.tunnel(),
                hello.initiator(),
                hello.heartbeatMillis(),
                hello.owner(),
                hello.fabrics(),
                hello.mode(),
                hello.term(),
                null);
    }

    private static Request.Hello like(Request.Hello hello, List<FabricKind> fabrics, int mode) {
        return like(hello, fabrics, mode, hello.term());
    }

    private static Request.Hello like(
            Request.Hello hello, List<FabricKind> fabrics, int mode, long term) {
        return new Request.Hello(
                hello.version(),
                hello.purpose(),
                hello.poolset(),
                hello.poolsetUuid(),
                hello.layout(),
                hello.imageSize(),
                hello.header(),
                hello.runId(),
                hello.nextRunId(),
                hello.descendsFrom(),
                hello.committed(),
                hello.overwrite(),
                hello.takeOver(),
                hello.tunnel(),
                hello.initiator(),
                hello.heartbeatMillis(),
                hello.owner(),
                fabrics,
                mode,
                term,
                null);
    }

    /** A hello for {@code bank.set} that names an opening of the pool. */
    static Request.Hello claiming(SessionOwner owner, Purpose purpose, long runId, long nextRunId) {
        Request.Hello hello = hello(purpose, "bank.set", runId, nextRunId, 1000, false);
        return new Request.Hello(
                hello.version(),
                purpose,
                hello.poolset(),
                hello.poolsetUuid(),
                hello.layout(),
                hello.imageSize(),
                hello.header(),
                runId,
                nextRunId,
                hello.descendsFrom(),
                hello.committed(),
                false,
                false,
                false,
                hello.initiator(),
                hello.heartbeatMillis(),
                owner,
                hello.fabrics(),
                hello.mode(),
                hello.term(),
                null);
    }

    /** What a program says of its remote memory. */
    static Blob attributes(String signature, int major, PoolUuid poolset) {
        MemorySegment page = Arena.ofAuto().allocate(PoolHeader.SIZE, 8);
        PoolUuid none = PoolUuid.ZERO;
        new PoolHeader(page)
                .formatAttributes(
                        Arrays.copyOf(signature.getBytes(StandardCharsets.US_ASCII), 8),
                        major,
                        new FeatureFlags(0, 0, 0),
                        poolset,
                        PoolUuid.random(),
                        new PoolHeader.Links(none, none, none, none),
                        new byte[16]);
        return Blob.of(page);
    }

    /** The template that a pool sends for its replica's header. */
    public static Blob header(PoolUuid poolset) {
        MemorySegment page = Arena.ofAuto().allocate(PoolHeader.SIZE, 8);
        PoolUuid none = PoolUuid.ZERO;
        new PoolHeader(page)
                .format(
                        FeatureFlags.forNewPool(false, true),
                        poolset,
                        none,
                        new PoolHeader.Links(none, none, none, none),
                        0);
        return Blob.of(page);
    }

    void say(Request request) throws IOException {
        channel.writeLine(ControlCodec.encode(request));
    }

    void sayBytes(String line) throws IOException {
        channel.writeLine(line.getBytes(StandardCharsets.UTF_8));
    }

    /** More than a line may have. */
    void sayEndlessly(int bytes) throws IOException {
        byte[] chunk = new byte[1 << 16];
        for (int sent = 0; sent < bytes; sent += chunk.length) {
            toAgent.sink().write(java.nio.ByteBuffer.wrap(chunk));
        }
    }

    /** What the agent says next, heartbeats left out; null at the end. */
    Reply hear() throws IOException {
        Reply reply = hearNext();
        while (reply instanceof Reply.Heartbeat) {
            reply = hearNext();
        }
        return reply;
    }

    /** What the agent says next; null at the end. */
    Reply hearNext() throws IOException {
        byte[] line = channel.readLine();
        return line == null ? null : ControlCodec.decodeReply(line);
    }

    public Reply ask(Request request) throws IOException {
        say(request);
        return hear();
    }

    /** Waits for the end of the session: whether it was in good order. */
    public boolean awaitEnd() throws Exception {
        return ended.get(20, TimeUnit.SECONDS);
    }

    boolean isServed() {
        return !ended.isDone();
    }

    @Override
    public void close() throws IOException {
        toAgent.sink().close();
        toInitiator.source().close();
    }
}
