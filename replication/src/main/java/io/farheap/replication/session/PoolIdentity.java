package io.farheap.replication.session;

import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.HostName;
import io.farheap.replication.control.Purpose;
import io.farheap.replication.control.Request;
import io.farheap.replication.control.SessionOwner;
import io.farheap.replication.control.SpokenVersions;
import io.farheap.replication.fabric.FabricKind;
import io.farheap.spi.ReplicatedPool;
import java.util.HexFormat;
import java.util.List;

/**
 * What an initiator tells an agent of its pool.
 *
 * @param poolsetUuid 32 hexadecimal digits; empty: not known
 * @param layout the layout name; empty: not known
 * @param imageSize bytes; 0: not known
 * @param header the template of a replica's header; empty: not known
 * @param mode permission bits of its part files; null: not known
 */
public record PoolIdentity(
        String poolsetUuid, String layout, long imageSize, Blob header, Integer mode) {
    /** Of a pool whose local files are gone. */
    public static final PoolIdentity UNKNOWN = new PoolIdentity("", "", 0, Blob.EMPTY, null);

    /** Of a pool of which no more is known. */
    public static PoolIdentity named(PoolUuid pool) {
        return new PoolIdentity(HexFormat.of().formatHex(pool.bytes()), "", 0, Blob.EMPTY, null);
    }

    public static PoolIdentity of(ReplicatedPool pool) {
        return new PoolIdentity(
                HexFormat.of()
                        .formatHex(new PoolHeader(pool.headerTemplate()).poolsetUuid().bytes()),
                pool.layout(),
                pool.image().byteSize(),
                Blob.of(pool.headerTemplate()),
                pool.mode());
    }

    public Request.Hello hello(
            Purpose purpose,
            String descriptor,
            long runId,
            long nextRunId,
            List<Long> descendsFrom,
            long committed,
            boolean overwrite,
            boolean takeOver,
            SessionOwner owner,
            List<FabricKind> fabrics,
            ReplicationSettings settings) {
        return hello(
                purpose,
                descriptor,
                runId,
                nextRunId,
                descendsFrom,
                committed,
                overwrite,
                takeOver,
                owner,
                fabrics,
                settings,
                0);
    }

    /**
     * The same of a writer.
     *
     * @param term 0: of a pool without terms
     */
    public Request.Hello hello(
            Purpose purpose,
            String descriptor,
            long runId,
            long nextRunId,
            List<Long> descendsFrom,
            long committed,
            boolean overwrite,
            boolean takeOver,
            SessionOwner owner,
            List<FabricKind> fabrics,
            ReplicationSettings settings,
            long term) {
        return new Request.Hello(
                SpokenVersions.OURS.highest(),
                purpose,
                descriptor,
                poolsetUuid,
                layout,
                imageSize,
                header,
                runId,
                nextRunId,
                descendsFrom,
                committed,
                overwrite,
                takeOver,
                settings.dataThroughSsh(),
                thisProcess(),
                Math.toIntExact(settings.heartbeat().toMillis()),
                owner,
                fabrics,
                mode,
                term == 0 ? null : term,
                SpokenVersions.OURS.lowest());
    }

    private static String thisProcess() {
        return "process " + ProcessHandle.current().pid() + " on " + HostName.here();
    }
}
