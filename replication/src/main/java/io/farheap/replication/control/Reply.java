package io.farheap.replication.control;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeName;
import java.util.List;
import java.util.Objects;

/**
 * What the agent sends, one JSON object a line: a greeting first, then one answer per request, and
 * a heartbeat between them as often as the hello asked for.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
    @JsonSubTypes.Type(Reply.Greeting.class),
    @JsonSubTypes.Type(Reply.Verdict.class),
    @JsonSubTypes.Type(Reply.Data.class),
    @JsonSubTypes.Type(Reply.TailEnd.class),
    @JsonSubTypes.Type(Reply.FootprintPage.class),
    @JsonSubTypes.Type(Reply.ImageContent.class),
    @JsonSubTypes.Type(Reply.Promoted.class),
    @JsonSubTypes.Type(Reply.Done.class),
    @JsonSubTypes.Type(Reply.Refused.class),
    @JsonSubTypes.Type(Reply.Heartbeat.class)
})
public sealed interface Reply {
    /** The version of the protocol that these messages are of; {@link SpokenVersions}. */
    int VERSION = 5;

    /** What the greeting's {@code protocol} field says. */
    String PROTOCOL = "farheap-control";

    /** The name in the field {@code type}. */
    default String type() {
        return getClass().getAnnotation(JsonTypeName.class).value();
    }

    /**
     * The first line of the agent, at once when it runs. Each version has these fields, so that any
     * two builds can tell each other what they speak.
     *
     * @param version the highest that the agent speaks
     * @param lowestVersion the lowest; null: no other one
     */
    @JsonTypeName("greeting")
    record Greeting(String protocol, int version, long pid, String host, Integer lowestVersion)
            implements Reply {
        public Greeting {
            Limits.requireText(protocol, "protocol");
            SpokenVersions unused = SpokenVersions.of(lowestVersion, version);
            Limits.requireText(host, "host");
        }

        /** Of an agent that speaks one version. */
        public Greeting(String protocol, int version, long pid, String host) {
            this(protocol, version, pid, host, null);
        }

        SpokenVersions spoken() {
            return SpokenVersions.of(lowestVersion, version);
        }
    }

    /**
     * Answer to hello.
     *
     * @param kind what the numbers say
     * @param slot the slot as found; null only where INSPECT or REMOVE finds no readable one; with
     *     no faults either, there are no files at all
     * @param created the agent created the part files just now: they are all zero
     * @param header the header page of the replica's first part; empty where it can't be read
     * @param imageSize usable bytes of the replica's image, header page included
     * @param faults what is missing or broken, a sentence for each file; empty: nothing
     * @param holder who has the replica attached now (INSPECT); empty: nobody
     * @param data the data connection; null where the purpose or the verdict gives none
     * @param room bytes that the file systems of its parts still take, the least of them (INSPECT);
     *     null: the agent does not say, as earlier ones of this version
     * @param version of the protocol, the highest that both sides know; null: the agent does not
     *     say, and speaks only the one of its greeting
     */
    @JsonTypeName("verdict")
    record Verdict(
            AttachDecision kind,
            SlotReport slot,
            boolean created,
            Blob header,
            long imageSize,
            List<String> faults,
            String holder,
            DataEndpoint data,
            Long room,
            Integer version)
            implements Reply {
        public Verdict {
            Limits.require(kind != null, "kind");
            Limits.requireHeader(header);
            Limits.require(imageSize >= 0, "imageSize");
            Limits.requireTexts(faults, "faults");
            Limits.requireText(holder, "holder");
            Limits.require(kind == AttachDecision.NONE || slot != null, "slot");
            Limits.require(room == null || room >= 0, "room");
            Limits.require(version == null || version > 0, "version");
            faults = List.copyOf(faults);
        }

        /** The same where nobody asks for the room, before the version is said. */
        public Verdict(
                AttachDecision kind,
                SlotReport slot,
                boolean created,
                Blob header,
                long imageSize,
                List<String> faults,
                String holder,
                DataEndpoint data) {
            this(kind, slot, created, header, imageSize, faults, holder, data, null, null);
        }

        /** The same, with the version that is spoken from here on. */
        public Verdict in(int agreed) {
            return new Verdict(
                    kind, slot, created, header, imageSize, faults, holder, data, room, agreed);
        }
    }

    /**
     * Answer to dataOver.
     *
     * @param data the data connection
     */
    @JsonTypeName("data")
    record Data(DataEndpoint data) implements Reply {
        public Data {
            Limits.require(data != null, "data");
        }
    }

    /**
     * Answer to records.
     *
     * @param sequence the last record of the tail, 0 without any
     * @param position where that ends in the stream
     */
    @JsonTypeName("tailEnd")
    record TailEnd(long sequence, long position) implements Reply {
        public TailEnd {
            Limits.require(sequence >= 0, "sequence");
            Limits.require(position >= 0, "position");
        }
    }

    /**
     * Answer to footprint.
     *
     * @param ranges in ascending order, disjoint
     * @param last there are none after these
     */
    @JsonTypeName("footprintPage")
    record FootprintPage(List<ByteRange> ranges, boolean last) implements Reply {
        public FootprintPage {
            Limits.require(
                    ranges != null
                            && ranges.size() <= Limits.MAX_RANGES
                            && ranges.stream().noneMatch(Objects::isNull)
                            && (last || !ranges.isEmpty()),
                    "ranges");
            ranges = List.copyOf(ranges);
        }
    }

    /**
     * Answer to readImage.
     *
     * @param epoch the number of the epoch that the replica is a member of
     * @param applied the last record of that epoch that is in the image
     * @param sum CRC32C of the range
     * @param content its bytes where they were asked for
     */
    @JsonTypeName("imageContent")
    record ImageContent(long epoch, long applied, int sum, Blob content) implements Reply {
        public ImageContent {
            Limits.require(applied >= 0, "applied");
            Limits.require(content != null && content.length() <= Limits.MAX_READ_BYTES, "content");
        }
    }

    /**
     * Answer to promote.
     *
     * @param runId the pool's own fresh number, in its descriptor too
     * @param replayed records of the tail that were applied
     */
    @JsonTypeName("promoted")
    record Promoted(long runId, long replayed) implements Reply {
        public Promoted {
            Limits.require(runId != 0, "runId");
            Limits.require(replayed >= 0, "replayed");
        }
    }

    /**
     * The request was carried out, durably.
     *
     * @param request the request's type
     */
    @JsonTypeName("done")
    record Done(String request) implements Reply {
        public Done {
            Limits.requireText(request, "request");
        }
    }

    /**
     * The request was refused and changed nothing.
     *
     * @param code what kind of reason
     * @param message one sentence: what and where
     * @param advice one sentence: what to do next; may be empty
     */
    @JsonTypeName("refused")
    record Refused(Code code, String message, String advice) implements Reply {
        public Refused {
            Limits.require(code != null, "code");
            Limits.requireText(message, "message");
            Limits.requireText(advice, "advice");
        }

        /** Message and advice, for a person. */
        String reason() {
            return asClause(message)
                    + (advice.isEmpty() ? "" : "; " + inMidSentence(asClause(advice)));
        }

        /** Its first word begins small, unless it is none that ever does. */
        private static String inMidSentence(String clause) {
            boolean word = clause.length() > 1 && Character.isLowerCase(clause.charAt(1));
            return word && !clause.startsWith("Farheap")
                    ? Character.toLowerCase(clause.charAt(0)) + clause.substring(1)
                    : clause;
        }

        /** The agent speaks in whole sentences, of which this makes one. */
        private static String asClause(String sentence) {
            return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
        }
    }

    /** Alive; also the sign that a long request is being worked on. */
    @JsonTypeName("heartbeat")
    record Heartbeat() implements Reply {}

    /** Reasons of a refusal that a program may act on. */
    enum Code {
        /** Another initiator holds the replica. */
        BUSY,
        /** No poolset file, or no replica, of that name. */
        NOT_FOUND,
        /** There are files already, and they are no replica of ours. */
        EXISTS,
        /** The file system forbids it. */
        ACCESS,
        /** The name leads out of the poolset directory, or is none. */
        BAD_NAME,
        /** The target's poolset is too small, or has options or replicas it must not have. */
        BAD_POOLSET,
        /** The replica belongs to another pool, layout or size. */
        WRONG_POOL,
        /** A pool is to be created, and the replica is another one's already. */
        HOLDS_POOL,
        /** The request doesn't fit the replica's state or the order of requests. */
        WRONG_STATE,
        /** The number isn't the one this replica was prepared for: somebody else was here. */
        WRONG_NUMBER,
        /** A writer of a higher term was here: this one's is over. */
        TERM_OVER,
        /** It may be a pool of its own: no writer of the record was ever there. */
        OUTSIDE_RECORD,
        /** Version of the protocol, or a message that can't be read. */
        BAD_MESSAGE,
        /** The disk is full, or an operation on it failed. */
        MEDIUM,
        /** The replica's own files or journal are damaged. */
        DAMAGED,
        /** Anything else, also codes of later versions. */
        @JsonEnumDefaultValue
        OTHER
    }
}
