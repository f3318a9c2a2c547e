package io.farheap.tools.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.PrintWriter;

/** Results that are known as a whole, as one JSON object. */
public final class Json {
    private Json() {}

    /** Prints the record's components, indented. */
    public static void print(PrintWriter out, Record result) throws JsonProcessingException {
        JsonMapper mapper = JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
        out.println(mapper.writeValueAsString(result));
        out.flush();
    }
}
