package io.farheap.tools.verify;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.RemoteReplica;
import io.farheap.poolset.Replica;
import io.farheap.tools.report.Tone;
import java.util.List;

/**
 * What was found of one copy. What is not known is null.
 *
 * @param replica its place in the poolset file, from 0
 * @param host where it is, as in the REPLICA line; empty: on this machine
 * @param name its first part here, its poolset there
 * @param finding what it is
 * @param explanation the same in a sentence, where there is more to say
 * @param reference the others were compared with this one
 * @param differingPlaces how many places differ in what means something
 * @param differingBytes how many bytes these have
 * @param differingPages of a copy of another version: pages of 4 KiB that are not the same, free
 *     memory included; at most so many are sent to bring it up to date
 * @param unsettledBytes bytes that differ where records wait that the next opening settles
 * @param differences the first of the places, rising
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record CopyResult(
        int replica,
        String host,
        String name,
        Finding finding,
        String explanation,
        boolean reference,
        Long differingPlaces,
        Long differingBytes,
        Long differingPages,
        Long unsettledBytes,
        List<Difference> differences) {

    /** The words of the report, which stay as they are. */
    public enum Finding {
        /** Nothing that means something differs. */
        EQUAL("equal"),
        /** It differs, and others show that it is wrong. */
        WRONG("wrong"),
        /** It differs, and which copy is right can't be told. */
        DIFFERENT("different"),
        /** It is of another version: older, half copied, of another history. */
        OTHER_VERSION("of another version"),
        /** Files are missing or damaged. */
        BROKEN("broken"),
        /** It could not be compared. */
        NOT_COMPARED("not compared");

        private final String word;

        Finding(String word) {
            this.word = word;
        }

        String word() {
            return word;
        }

        Tone tone() {
            return switch (this) {
                case EQUAL -> Tone.GOOD;
                case WRONG, DIFFERENT, BROKEN -> Tone.BAD;
                case OTHER_VERSION, NOT_COMPARED -> Tone.WARNING;
            };
        }
    }

    /** One that has every byte that the others have. */
    static CopyResult equal(int place, Replica replica, boolean reference) {
        String host = "";
        String name;
        if (replica instanceof RemoteReplica remote) {
            host = remote.host();
            name = remote.descriptor();
        } else {
            name = ((LocalReplica) replica).parts().get(0).path().toString();
        }
        Long none = reference ? null : 0L;
        List<Difference> nowhere = reference ? null : List.of();
        return new CopyResult(
                place, host, name, Finding.EQUAL, null, reference, none, none, null, null, nowhere);
    }

    /**
     * A place where a copy differs from the reference.
     *
     * @param offset image offset, a multiple of 8
     * @param length bytes, a multiple of 8
     * @param file the part here that has it, of a local copy
     * @param fileOffset where in that
     * @param meaning what lies there, by the reference
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Difference(
            long offset, long length, String file, Long fileOffset, String meaning) {}
}
