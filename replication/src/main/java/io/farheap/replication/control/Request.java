package io.farheap.replication.control;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeName;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.fabric.FabricKind;
import io.farheap.replication.journal.SlotLayout;
import java.util.List;
import java.util.Objects;

/**
 * What the initiator sends to the agent, one JSON object a line. Every request is answered by
 * exactly one {@link Reply}, in order, except {@link Heartbeat}, which is never answered. Instead
 * of its own answer any request may get {@link Reply.Refused}; the agent then has changed nothing
 * for it.
 *
 * <p>The order of an attach (docs/protocol.md#the-switch):
 *
 * <pre>
 *   agent                                   initiator
 *   greeting                ───►
 *                           ◄───            hello(L, N)
 *   verdict                 ───►            the data connection is opened, the secret shown
 *   where it can't be:      ◄──►            dataOver(tcp)
 *   lacks what others have: ◄──►            records…
 *   current at open:        ◄──►            footprint…, images over the data connection
 *   current in process:     ◄──►            drain(d)
 *   new, half copied:       ◄──►            startSync, images, syncComplete(N) instead of prepare
 *                           ◄──►            prepare
 *                                           L := N, when all members are prepared
 *   if it may lag:          ◄──►            mayLag
 *                           ◄──►            confirm(N)
 *                                           records flow
 *   if it may lag:          ◄──►            caughtUp(last)
 *                           ◄──►            bye
 * </pre>
 *
 * <p>After a lost connection, in the same epoch, hello(L) for RESUME instead: its verdict tells the
 * last record that the journal has, and records flow on from there.
 *
 * <p>For a former writer's copy: hello(L) for RETURN, and return; then the hello of an attach.
 *
 * <p>For a program's remote memory there is no switch: hello(N) for CREATE_MEMORY or OPEN_MEMORY
 * has the whole tail applied, and records flow as soon as the data connection is there; readImage
 * and setAttributes may come beside them.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
    @JsonSubTypes.Type(Request.Hello.class),
    @JsonSubTypes.Type(Request.DataOver.class),
    @JsonSubTypes.Type(Request.Records.class),
    @JsonSubTypes.Type(Request.Return.class),
    @JsonSubTypes.Type(Request.Footprint.class),
    @JsonSubTypes.Type(Request.Drain.class),
    @JsonSubTypes.Type(Request.Prepare.class),
    @JsonSubTypes.Type(Request.MayLag.class),
    @JsonSubTypes.Type(Request.Confirm.class),
    @JsonSubTypes.Type(Request.CaughtUp.class),
    @JsonSubTypes.Type(Request.ReadImage.class),
    @JsonSubTypes.Type(Request.StartSync.class),
    @JsonSubTypes.Type(Request.SyncComplete.class),
    @JsonSubTypes.Type(Request.Promote.class),
    @JsonSubTypes.Type(Request.RestoreComplete.class),
    @JsonSubTypes.Type(Request.Remove.class),
    @JsonSubTypes.Type(Request.SetAttributes.class),
    @JsonSubTypes.Type(Request.Heartbeat.class),
    @JsonSubTypes.Type(Request.Bye.class)
})
public sealed interface Request {

    /** The name in the field {@code type}. */
    default String type() {
        return getClass().getAnnotation(JsonTypeName.class).value();
    }

    /**
     * The first request, once per connection. The agent resolves the poolset, takes the replica's
     * lock (except for INSPECT), ends what is left of an older connection, flushes the journal and
     * scans it, and answers with a {@link Reply.Verdict}.
     *
     * @param version the highest version of the protocol that the initiator speaks; this field and
     *     {@code lowestVersion} are in each version's hello
     * @param purpose what it comes for
     * @param poolset the descriptor: path of the poolset file under the agent's poolset directory
     * @param poolsetUuid the pool's identity, 32 lower-case hexadecimal digits; empty where it is
     *     not known (RESTORE, INSPECT); for REMOVE the pool whose replica is meant, and files of
     *     another one are refused
     * @param layout the pool's layout name; empty where it is not known
     * @param imageSize bytes of the pool; 0 where it is not known
     * @param header the template of the replica's header (features, poolset uuid, architecture;
     *     part uuids are the target's own); empty where it is not known
     * @param runId L, the local pool's number; 0 where there is no local pool
     * @param nextRunId N, the fresh number of the switch (ATTACH), or of the records to come
     *     (CREATE_MEMORY, OPEN_MEMORY), else 0
     * @param descendsFrom numbers of which L provably descends: a replica that has one of them is
     *     older, and may be brought up to date; at most {@link Limits#MAX_TEXTS}
     * @param committed in the same run: all records of the epoch {@code runId} up to there are
     *     committed here, none beyond it; {@link SlotReport#NOT_KNOWN} at open, and where it is
     *     left out
     * @param overwrite the user, or a setting, ordered that this replica be overwritten by the
     *     local pool though its history isn't comparable, or though it was taken over
     * @param takeOver end the right of whoever holds the replica
     * @param tunnel the data connection will come through the control connection's ssh: bind the
     *     loopback address
     * @param initiator who comes: host and process, for messages
     * @param heartbeatMillis how often both sides send a heartbeat; {@link
     *     Limits#MISSED_HEARTBEATS} missed ones end the sender's right
     * @param owner an agent that has the replica for an earlier attempt of the same opening is
     *     ended; {@link SessionOwner#NONE} where it is left out
     * @param fabrics what the data connection may be made over; tcp where it is left out
     * @param mode permission bits of part files that are made for the replica; 0600 where it is
     *     left out
     * @param term of the writer: the replica keeps the highest that it has heard, and refuses a
     *     lower one (ATTACH, RESUME); for RESTORE the one that a person knows it has heard and
     *     passes over; 0, also where it is left out: of a pool without terms
     * @param lowestVersion the lowest version that the initiator speaks; null: no other one
     * @param recordId of the record that the term is of: a replica that has heard a writer of
     *     another record is refused; 0, also where it is left out: not known
     */
    @JsonTypeName("hello")
    record Hello(
            int version,
            Purpose purpose,
            String poolset,
            String poolsetUuid,
            String layout,
            long imageSize,
            Blob header,
            long runId,
            long nextRunId,
            List<Long> descendsFrom,
            Long committed,
            boolean overwrite,
            boolean takeOver,
            boolean tunnel,
            String initiator,
            int heartbeatMillis,
            @JsonProperty("claim") SessionOwner owner,
            List<FabricKind> fabrics,
            Integer mode,
            Long term,
            Integer lowestVersion,
            Long recordId)
            implements Request {
        private static final int PERMISSIONS = 0777;
        private static final int OWNER_ONLY = 0600;

        public Hello {
            SpokenVersions unused = SpokenVersions.of(lowestVersion, version);
            Limits.require(purpose != null, "purpose");
            Limits.requireText(poolset, "poolset");
            Limits.require(!poolset.isEmpty(), "poolset");
            Limits.requirePoolsetUuid(poolsetUuid);
            Limits.requireText(layout, "layout");
            Limits.require(imageSize >= 0, "imageSize");
            Limits.requireHeader(header);
            Limits.require(
                    descendsFrom != null
                            && descendsFrom.size() <= Limits.MAX_TEXTS
                            && descendsFrom.stream().noneMatch(Objects::isNull),
                    "descendsFrom");
            descendsFrom = List.copyOf(descendsFrom);
            owner = owner == null ? SessionOwner.NONE : owner;
            fabrics = fabrics == null ? FabricKind.TCP_ONLY : fabrics;
            Limits.require(
                    !fabrics.isEmpty()
                            && fabrics.size() <= FabricKind.values().length
                            && fabrics.stream().noneMatch(Objects::isNull),
                    "fabrics");
            fabrics = List.copyOf(fabrics);
            mode = mode == null ? Integer.valueOf(OWNER_ONLY) : mode;
            term = term == null ? Long.valueOf(0) : term;
            Limits.require(term >= 0, "term");
            recordId = recordId == null ? Long.valueOf(0) : recordId;
            Limits.require(recordId >= 0 && (term != 0 || recordId == 0), "recordId");
            Limits.require((mode & ~PERMISSIONS) == 0, "mode");
            committed = committed == null ? Long.valueOf(SlotReport.NOT_KNOWN) : committed;
            Limits.require(committed >= SlotReport.NOT_KNOWN, "committed");
            Limits.requireText(initiator, "initiator");
            Limits.require(
                    heartbeatMillis >= Limits.MIN_HEARTBEAT_MILLIS
                            && heartbeatMillis <= Limits.MAX_HEARTBEAT_MILLIS,
                    "heartbeatMillis");
            if (purpose == Purpose.RETURN) {
                Limits.require(term > 0, "term");
                Limits.require(runId != 0 && nextRunId == 0, "runId");
                Limits.require(!poolsetUuid.isEmpty(), "poolsetUuid");
            } else if (purpose == Purpose.ATTACH) {
                Limits.require(nextRunId != 0 && nextRunId != runId, "nextRunId");
                Limits.require(!poolsetUuid.isEmpty(), "poolsetUuid");
                Limits.require(imageSize > 0, "imageSize");
                Limits.require(header.length() != 0, "header");
            } else if (purpose.isMemory()) {
                Limits.require(nextRunId != 0, "nextRunId");
                Limits.require(imageSize > 0, "imageSize");
                boolean creates = purpose == Purpose.CREATE_MEMORY;
                Limits.require(creates == (header.length() != 0), "header");
            } else {
                Limits.require(nextRunId == 0, "nextRunId");
            }
        }

        /** Without a record, or of one that is not known. */
        public Hello(
                int version,
                Purpose purpose,
                String poolset,
                String poolsetUuid,
                String layout,
                long imageSize,
                Blob header,
                long runId,
                long nextRunId,
                List<Long> descendsFrom,
                Long committed,
                boolean overwrite,
                boolean takeOver,
                boolean tunnel,
                String initiator,
                int heartbeatMillis,
                SessionOwner owner,
                List<FabricKind> fabrics,
                Integer mode,
                Long term,
                Integer lowestVersion) {
            this(
                    version,
                    purpose,
                    poolset,
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
                    tunnel,
                    initiator,
                    heartbeatMillis,
                    owner,
                    fabrics,
                    mode,
                    term,
                    lowestVersion,
                    null);
        }

        /** The same of a writer of that record. */
        public Hello ofRecord(long id) {
            return new Hello(
                    version,
                    purpose,
                    poolset,
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
                    tunnel,
                    initiator,
                    heartbeatMillis,
                    owner,
                    fabrics,
                    mode,
                    term,
                    lowestVersion,
                    id);
        }

        /** Of one who has no version in common with the agent, which is to know why it goes. */
        static Hello toBeRefused(RemoteReplica replica) {
            return new Hello(
                    SpokenVersions.OURS.highest(),
                    Purpose.INSPECT,
                    replica.descriptor(),
                    "",
                    "",
                    0,
                    Blob.EMPTY,
                    0,
                    0,
                    List.of(),
                    null,
                    false,
                    false,
                    false,
                    "process " + ProcessHandle.current().pid(),
                    Limits.MIN_HEARTBEAT_MILLIS,
                    null,
                    null,
                    null,
                    null,
                    SpokenVersions.OURS.lowest());
        }

        /** What the initiator speaks. */
        public SpokenVersions spoken() {
            return SpokenVersions.of(lowestVersion, version);
        }
    }

    /**
     * Asks for a data connection over this fabric in place of the one that the verdict offered,
     * which could not be made; what was offered before is void. Answered by {@link Reply.Data}.
     */
    @JsonTypeName("dataOver")
    record DataOver(FabricKind fabric) implements Request {
        public DataOver {
            Limits.require(fabric != null, "fabric");
        }
    }

    /**
     * Some bytes of the stream of records that follows the tail of a prepared replica: another copy
     * of the same epoch has it, and its node has taken the pool over. Records that are complete
     * become part of the tail, durably. Answered by {@link Reply.TailEnd}.
     *
     * @param position of the first byte in the stream
     * @param content at most {@link Limits#MAX_READ_BYTES}, without the end of a lap in between;
     *     nothing: only tell where the tail ends
     */
    @JsonTypeName("records")
    record Records(long position, Blob content) implements Request {
        public Records {
            Limits.require(position >= 0, "position");
            Limits.require(content != null && content.length() <= Limits.MAX_READ_BYTES, "content");
        }
    }

    /**
     * RETURN: the program that had the copy for its pool is gone. Roll back what it had not
     * committed; then the state is INSYNC with the number of the hello, and records that follow
     * {@code sequence} may come. Refused where the copy has another number. Answered by done.
     *
     * @param sequence the last record of that number that every copy has applied
     * @param position where that ends in the stream
     */
    @JsonTypeName("return")
    record Return(long sequence, long position) implements Request {
        public Return {
            Limits.require(sequence >= 0, "sequence");
            Limits.require(SlotLayout.isPossible(sequence, position), "position");
        }
    }

    /**
     * Asks for the footprint of the tail's records, merged and sorted, one page at a time; answered
     * by {@link Reply.FootprintPage}. For ATTACH, and for VERIFY, to whom it explains what differs.
     *
     * @param from index of the first range wanted
     * @param max how many at most, 1 to {@link Limits#MAX_RANGES}
     */
    @JsonTypeName("footprint")
    record Footprint(long from, int max) implements Request {
        public Footprint {
            Limits.require(from >= 0, "from");
            Limits.require(max > 0 && max <= Limits.MAX_RANGES, "max");
        }
    }

    /**
     * Apply the records of the old epoch up to {@code sequence}, drop the rest (the switch within
     * one run). Refused when the tail doesn't reach that far. Answered by done.
     */
    @JsonTypeName("drain")
    record Drain(long sequence) implements Request {
        public Drain {
            Limits.require(sequence >= 0, "sequence");
        }
    }

    /** Flush the part files; apply stands still until confirm. Answered by done. */
    @JsonTypeName("prepare")
    record Prepare() implements Request {}

    /**
     * Reads the image while records flow: a checksum of a range, and its bytes if wanted, taken
     * while apply stands still. Refused to anybody but a confirmed member. Answered by {@link
     * Reply.ImageContent}.
     *
     * @param offset image offset
     * @param length 0 to {@link Limits#MAX_READ_BYTES}, without the bytes to {@link
     *     Limits#MAX_SUM_BYTES}; 0 asks for the figures only
     * @param content whether the bytes are wanted, too
     */
    @JsonTypeName("readImage")
    record ReadImage(long offset, int length, boolean content) implements Request {
        public ReadImage {
            Limits.require(offset >= 0, "offset");
            int most = content ? Limits.MAX_READ_BYTES : Limits.MAX_SUM_BYTES;
            Limits.require(length >= 0 && length <= most, "length");
        }
    }

    /**
     * The switch has happened: become a member of epoch {@code runId}, with an empty journal.
     * Refused if that is neither the prepared nor the current number. Answered by done.
     */
    @JsonTypeName("confirm")
    record Confirm(long runId) implements Request {}

    /**
     * Commits of the epoch that is to be confirmed will return without waiting for this replica:
     * its slot says so from the confirm on, durably. Answered by done.
     */
    @JsonTypeName("mayLag")
    record MayLag() implements Request {}

    /**
     * Nothing was committed in the epoch under way after the record {@code sequence}, and nothing
     * will be: a replica that has it lags no more, durably. Refused when it has not. Answered by
     * done.
     */
    @JsonTypeName("caughtUp")
    record CaughtUp(long sequence) implements Request {
        public CaughtUp {
            Limits.require(sequence >= 0, "sequence");
        }
    }

    /** State SYNCING, durable, before the first byte of a full copy. Answered by done. */
    @JsonTypeName("startSync")
    record StartSync() implements Request {}

    /** The copy is complete: flush it, then next := {@code runId}. Answered by done. */
    @JsonTypeName("syncComplete")
    record SyncComplete(long runId) implements Request {}

    /**
     * RESTORE: replay the whole tail, flush, state PROMOTED with a fresh number; does nothing to a
     * replica that is PROMOTED already. Answered by {@link Reply.Promoted}.
     */
    @JsonTypeName("promote")
    record Promote() implements Request {}

    /**
     * RESTORE: the local copy is complete and flushed, though its header is still invalid: next :=
     * {@code nextRunId}, the number that it will get. Answered by done.
     */
    @JsonTypeName("restoreComplete")
    record RestoreComplete(long nextRunId) implements Request {
        public RestoreComplete {
            Limits.require(nextRunId != 0, "nextRunId");
        }
    }

    /**
     * REMOVE: delete part files and journal. Answered by done.
     *
     * @param force also when the files are damaged or locked
     * @param poolsetFile the poolset file on the target too
     */
    @JsonTypeName("remove")
    record Remove(boolean force, boolean poolsetFile) implements Request {}

    /**
     * Replace the attributes of a program's remote memory in all its headers, in one step that a
     * crash does not cut. Answered by done.
     *
     * @param header a header page with the attributes; what is a part's own in it does not count
     */
    @JsonTypeName("setAttributes")
    record SetAttributes(Blob header) implements Request {
        public SetAttributes {
            Limits.requireHeader(header);
            Limits.require(header.length() != 0, "header");
        }
    }

    /** Alive; never answered. */
    @JsonTypeName("heartbeat")
    record Heartbeat() implements Request {}

    /** The end, in good order. Answered by done, then the agent exits. */
    @JsonTypeName("bye")
    record Bye() implements Request {}
}
