package io.farheap.replication.control;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.farheap.base.FarheapException;
import java.io.IOException;

/**
 * Control messages as JSON, one object each. Unknown fields are ignored, so that a newer side may
 * say more; an unknown type, a field of a wrong kind, a value out of its limits or anything after
 * the object is refused. Thread-safe.
 */
public final class ControlCodec {
    private static final JsonMapper MAPPER =
            JsonMapper.builder(
                            JsonFactory.builder()
                                    .streamReadConstraints(
                                            StreamReadConstraints.builder()
                                                    .maxDocumentLength(Limits.MAX_LINE_BYTES)
                                                    .maxStringLength(Limits.MAX_LINE_BYTES)
                                                    .maxNestingDepth(Limits.MAX_NESTING)
                                                    .maxNumberLength(32)
                                                    .build())
                                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                                    .build())
                    .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                    .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                    .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                    .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
                    .enable(DeserializationFeature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
                    .build();
    private static final ObjectReader REQUESTS = MAPPER.readerFor(Request.class);
    private static final ObjectReader REPLIES = MAPPER.readerFor(Reply.class);
    private static final ObjectWriter REQUEST_WRITER = MAPPER.writerFor(Request.class);
    private static final ObjectWriter REPLY_WRITER = MAPPER.writerFor(Reply.class);

    private ControlCodec() {}

    /** One line without its line feed. */
    public static byte[] encode(Request request) {
        return write(REQUEST_WRITER, request);
    }

    /** One line without its line feed. */
    public static byte[] encode(Reply reply) {
        return write(REPLY_WRITER, reply);
    }

    /**
     * @throws FarheapException category BAD_DATA for anything that is no request
     */
    public static Request decodeRequest(byte[] line) {
        return read(REQUESTS, line);
    }

    /**
     * @throws FarheapException category BAD_DATA for anything that is no reply
     */
    public static Reply decodeReply(byte[] line) {
        return read(REPLIES, line);
    }

    private static byte[] write(ObjectWriter writer, Object message) {
        try {
            return writer.writeValueAsBytes(message);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a control message can't be written as JSON", e);
        }
    }

    private static <T> T read(ObjectReader reader, byte[] line) {
        T message;
        try {
            message = reader.readValue(line);
        } catch (IOException e) {
            throw bad(reason(e), e);
        }
        if (message == null) {
            throw bad("null", null);
        }
        return message;
    }

    private static String reason(IOException e) {
        String text =
                e instanceof JsonProcessingException
                        ? ((JsonProcessingException) e).getOriginalMessage()
                        : e.getMessage();
        String line = String.valueOf(text).replaceAll("\\s+", " ");
        return line.length() <= 200 ? line : line.substring(0, 200) + "…";
    }

    private static FarheapException bad(String why, Throwable cause) {
        return FarheapException.badData(
                cause,
                "this is no control message of protocol %s %s: %s",
                Reply.PROTOCOL,
                Reply.VERSION,
                why);
    }
}
