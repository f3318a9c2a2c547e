package io.farheap.tools.status;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.farheap.base.ReplicaStatus;
import io.farheap.replication.control.SlotReport;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * One copy of a pool as it was found. What is not known is null.
 *
 * @param replica its place in the poolset file, from 0
 * @param host where it is, as in the REPLICA line; empty: on this machine
 * @param name its first part here, its poolset there
 * @param verdict how it stands to the pool's number
 * @param explanation the same in a sentence
 * @param number the pool's number in a local copy
 * @param slot what is durable about a remote one
 * @param program what the program that has the pool open says of it
 * @param heldBy which initiator has it attached, and by which agent
 * @param dirtyMapBytes at most so many bytes differ, as its dirty map says; -1: there is a map, and
 *     it does not go with the pool
 * @param nextStep what an operator can do; empty: nothing needs to be done
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record CopyStatus(
        int replica,
        String host,
        String name,
        Standing verdict,
        String explanation,
        Long number,
        Slot slot,
        Program program,
        String heldBy,
        Long dirtyMapBytes,
        String nextStep) {

    /**
     * The slot (docs/protocol.md#states-of-a-replica).
     *
     * @param number cur
     * @param preparedFor next; null: for none
     * @param applied the last record applied durably
     * @param received the last valid record
     * @param mayLag commits return without it (policy async): it may lack the last of them
     * @param since when it got its state and number, and {@code written} when any of this changed
     *     last: ISO 8601, seconds, by the target's clock
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Slot(
            String state,
            long number,
            Long preparedFor,
            long applied,
            long received,
            boolean mayLag,
            String since,
            String written) {
        static Slot of(SlotReport slot) {
            return slot == null
                    ? null
                    : new Slot(
                            slot.state().name(),
                            slot.cur(),
                            slot.next() == 0 ? null : slot.next(),
                            slot.applied(),
                            slot.lastSequence(),
                            slot.mayLag(),
                            seconds(slot.sinceMillis()),
                            seconds(slot.writtenMillis()));
        }

        private static String seconds(long millis) {
            return millis == 0 ? null : CopyStatus.seconds(Instant.ofEpochMilli(millis));
        }
    }

    /**
     * What {@code ObjectPool.replicas()} shows in that program.
     *
     * @param differences how many ranges were compared and are not the pool's
     * @param since ISO 8601, seconds
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Program(
            String state,
            String policy,
            long epoch,
            long sequence,
            Long lagBytes,
            long lagMillis,
            int differences,
            String since,
            String reason) {
        static Program of(ReplicaStatus said) {
            return new Program(
                    said.state().name(),
                    said.policy().name(),
                    said.epoch(),
                    said.sequence(),
                    said.lagBytes() < 0 ? null : said.lagBytes(),
                    said.lag().toMillis(),
                    said.differences().size(),
                    seconds(said.since()),
                    said.reason());
        }
    }

    static String seconds(Instant moment) {
        return moment.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /** What is to be done where a record in a store says which copies count. */
    static final String BY_RECORD =
            "its pool is under automatic fail-over: farheap ha status says which copies count and"
                    + " who writes, and that program brings the others up to date by itself";

    /** The same of a pool of which a record says which copies count: no copying by hand is due. */
    CopyStatus byRecord() {
        boolean reached = verdict != Standing.UNREACHABLE && verdict != Standing.REFUSED;
        return nextStep.isEmpty() || program != null || !reached
                ? this
                : new CopyStatus(
                        replica,
                        host,
                        name,
                        verdict,
                        explanation,
                        number,
                        slot,
                        program,
                        heldBy,
                        dirtyMapBytes,
                        BY_RECORD);
    }

    /**
     * The same beside a replica that goes on as a pool of its own: a copy here that has the number
     * of the pool here is current in one of two pools.
     */
    CopyStatus beside(CopyStatus taken) {
        if (verdict != Standing.CURRENT || !host.isEmpty()) {
            return this;
        }
        return new CopyStatus(
                replica,
                host,
                name,
                Standing.NOT_COMPARABLE,
                "it has the pool's number, but replica "
                        + taken.replica
                        + " ("
                        + taken.host
                        + " "
                        + taken.name
                        + ") was taken over, and is a pool of its own now: which one is kept a"
                        + " person decides",
                number,
                slot,
                program,
                heldBy,
                dirtyMapBytes,
                taken.nextStep);
    }

    @JsonIgnore
    boolean isGood() {
        return verdict.isGood();
    }
}
