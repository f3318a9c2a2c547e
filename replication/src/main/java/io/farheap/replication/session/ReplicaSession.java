package io.farheap.replication.session;

import io.farheap.base.FarheapException;
import io.farheap.base.ReplicaPolicy;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.Pacer;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.ControlClient;
import io.farheap.replication.control.ControlTimes;
import io.farheap.replication.control.DataEndpoint;
import io.farheap.replication.control.Limits;
import io.farheap.replication.control.RefusedException;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.Request;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.Deadline;
import io.farheap.replication.fabric.FabricKind;
import io.farheap.replication.stream.StreamMember;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * One replica, reached: its control connection, its verdict and, once {@link #connectData} was
 * called, its data connection. A lost control connection closes the data connection too: nothing
 * the target says afterwards counts. Its steps are those of the switch, for one thread at a time;
 * {@link #within} and {@link #abandon} are for any.
 */
public final class ReplicaSession implements AutoCloseable {

    /** Bytes that travel where a difference is found. */
    public static final int COMPARED_BYTES = 4096;

    private static final long BUSY_PAUSE_MILLIS = 200;

    private final RemoteReplica replica;
    private final ControlClient control;
    private final Reply.Verdict verdict;
    private final ReplicationSettings settings;
    private final DataLink data;
    private final MemberImage image = new MemberImage(this);
    private volatile ImageClient images;

    /** Stored before {@link #images} is read, and read after that is stored: neither is missed. */
    private volatile Deadline limit;

    private ReplicaSession(
            RemoteReplica replica,
            ControlClient control,
            Reply.Verdict verdict,
            ReplicationSettings settings,
            Deadline limit) {
        this.limit = limit;
        this.replica = replica;
        this.control = control;
        this.verdict = verdict;
        this.settings = settings;
        this.data = new DataLink(replica, control, settings, this::timeout);
    }

    /** The same without a limit but those of the settings. */
    public static ReplicaSession greet(
            AgentConnector connector,
            RemoteReplica replica,
            int index,
            Request.Hello hello,
            ReplicationSettings settings)
            throws InterruptedException {
        return greet(connector, replica, index, hello, settings, Deadline.NONE);
    }

    /**
     * Starts the agent and says hello. A replica that is still held by somebody who may be dead is
     * asked again until a dead one's right must have ended.
     *
     * @param limit of this and of all that follows, until {@link #within} sets another
     */
    public static ReplicaSession greet(
            AgentConnector connector,
            RemoteReplica replica,
            int index,
            Request.Hello hello,
            ReplicationSettings settings,
            Deadline limit)
            throws InterruptedException {
        return greet(
                connector,
                replica,
                index,
                control -> {},
                hello,
                settings,
                limit,
                settings.attachTimeout());
    }

    /** A look at a replica before the hello. */
    public interface Look {
        /**
         * @throws NotReachedException the hello is not said
         */
        void through(ControlClient control);
    }

    /**
     * The same after a look.
     *
     * @param before through the same agent
     * @param greeting how long the agent may take to show itself
     */
    public static ReplicaSession greet(
            AgentConnector connector,
            RemoteReplica replica,
            int index,
            Look before,
            Request.Hello hello,
            ReplicationSettings settings,
            Deadline limit,
            Duration greeting)
            throws InterruptedException {
        Deadline patience =
                limit.orIn(settings.heartbeat().multipliedBy(Limits.MISSED_HEARTBEATS + 1));
        ControlTimes times =
                new ControlTimes(
                        settings.attachTimeout(), settings.workTimeout(), settings.heartbeat());
        while (true) {
            // The attach timeout has words of its own, which the connector knows.
            boolean usual = greeting.compareTo(settings.attachTimeout()) >= 0;
            Deadline shown = usual ? limit : limit.orIn(greeting);
            ControlClient control = connect(connector, replica, index, times, shown);
            boolean greeted = false;
            try {
                control.within(limit);
                before.through(control);
                ReplicaSession member =
                        new ReplicaSession(replica, control, control.hello(hello), settings, limit);
                greeted = true;
                return member;
            } catch (RefusedException e) {
                if (e.code() != Reply.Code.BUSY || patience.isOver()) {
                    throw e;
                }
            } finally {
                if (!greeted) {
                    control.abandon();
                }
            }
            Thread.sleep(BUSY_PAUSE_MILLIS);
        }
    }

    private static ControlClient connect(
            AgentConnector connector,
            RemoteReplica replica,
            int index,
            ControlTimes times,
            Deadline limit)
            throws InterruptedException {
        try {
            return AgentCalls.connect(connector, replica, index, times, limit);
        } catch (FarheapException e) {
            throw new NotReachedException(e);
        }
    }

    /** From now on nothing is waited for beyond this, whatever its own bound. */
    public void within(Deadline end) {
        limit = end;
        control.within(end);
        if (images != null) {
            images.within(end);
        }
    }

    /** From now on what is copied or compared as a whole is not faster than this. */
    public void pacedBy(Pacer pacer) {
        images.pacedBy(pacer);
    }

    public RemoteReplica replica() {
        return replica;
    }

    public Reply.Verdict verdict() {
        return verdict;
    }

    /**
     * As the commit stream knows it.
     *
     * @param policy of this replica
     */
    public StreamMember link(ReplicaPolicy policy) {
        return new StreamMember(
                replica.toString(),
                data.connection(),
                policy,
                data.endpoint().method(),
                data.into());
    }

    public ControlClient control() {
        return control;
    }

    /** Where the data connection is to be made. */
    public DataEndpoint endpoint() {
        if (verdict.data() == null) {
            throw fault("its agent offers no data connection; install the same version there");
        }
        return verdict.data();
    }

    /**
     * Makes the data connection: as the agent offered it, or else over tcp, if both may.
     *
     * @param local the memory that records will be posted from
     */
    public void connectData(AgentConnector connector, Fabrics fabrics, MemorySegment local)
            throws InterruptedException {
        data.open(connector, fabrics, endpoint(), local);
        Connection connection = data.connection();
        images = new ImageClient(connection, replica.toString(), settings.attachTimeout());
        images.within(limit);
        control.onLost(reason -> connection.close());
        control.alsoHeardBy(() -> connection.counters().completions());
    }

    private Duration timeout() {
        return limit.left(settings.attachTimeout());
    }

    /** What the data connection was made over. */
    public FabricKind fabric() {
        DataEndpoint made = data.endpoint();
        return made == null ? FabricKind.TCP : made.fabric();
    }

    /**
     * Says when the control connection is lost, and closes the data connection then; in this order,
     * or others find that closed before they hear why.
     */
    public void onLost(Consumer<FarheapException> listener) {
        control.onLost(
                reason -> {
                    listener.accept(reason);
                    data.connection().close();
                });
    }

    public ImageClient images() {
        return images;
    }

    /** Its image, to be made equal to the pool's; once the data connection is there. */
    public MemberImage image() {
        return image;
    }

    /** Where its tail ends, of one that is prepared. */
    public Reply.TailEnd tailEnd() {
        return control.call(new Request.Records(0, Blob.EMPTY), Reply.TailEnd.class);
    }

    /** Adds bytes of the stream to its tail, of one that is prepared. */
    public Reply.TailEnd putRecords(long position, MemorySegment bytes) {
        return control.call(new Request.Records(position, Blob.of(bytes)), Reply.TailEnd.class);
    }

    /**
     * In the switch in a run: everything up to {@code sequence} was committed, nothing after it.
     */
    public void drain(long sequence) {
        control.perform(new Request.Drain(sequence));
    }

    /** Its image is durable on return (docs/protocol.md#flush-content). */
    public void prepare() {
        control.perform(new Request.Prepare());
    }

    /** The content is given up for a copy: durably, before its first byte. */
    public void startSync() {
        control.perform(new Request.StartSync());
    }

    /** The copy is complete: durable, and known as what {@code nextRunId} will be. */
    public void completeSync(long nextRunId) {
        control.perform(new Request.SyncComplete(nextRunId));
    }

    /**
     * Reads the image of a member while records flow.
     *
     * @param content whether the bytes are wanted, or only their checksum
     */
    public Reply.ImageContent readImage(long offset, int length, boolean content) {
        Reply.ImageContent read =
                control.call(
                        new Request.ReadImage(offset, length, content), Reply.ImageContent.class);
        if (read.content().length() != (content ? length : 0)) {
            throw fault("it sent " + read.content() + " of its image where others were asked for");
        }
        return read;
    }

    /**
     * The pool has the number: a member of that epoch, if it was prepared for it
     * (docs/protocol.md#confirm-only-prepared).
     *
     * @param mayLag commits will not wait for it
     */
    public void confirm(long runId, boolean mayLag) {
        if (mayLag) {
            control.perform(new Request.MayLag());
        }
        control.perform(new Request.Confirm(runId));
    }

    /** It has the last record that there will be of its epoch, and so lags no more. */
    public void caughtUp(long sequence) {
        control.perform(new Request.CaughtUp(sequence));
    }

    public FarheapException fault(String what) {
        return FarheapException.replica("replica %s: %s", replica, what);
    }

    /** Bytes that went over the data connection, framing included. */
    public long bytesSent() {
        Connection made = data.connection();
        return made == null ? 0 : made.counters().bytes();
    }

    /** Ends both connections in good order. */
    @Override
    public void close() {
        try {
            control.close();
        } finally {
            data.close();
        }
    }

    /** Ends both connections without a word. */
    public void abandon() {
        control.abandon();
        data.close();
    }
}
