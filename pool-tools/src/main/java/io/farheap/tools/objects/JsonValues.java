package io.farheap.tools.objects;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.farheap.base.FarheapException;
import io.farheap.objects.dump.HeapLoad;
import io.farheap.objects.type.StoredRecords;
import io.farheap.objects.type.TypeDescriptor;
import io.farheap.objects.type.TypeDescriptor.Field;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Reads values of a dump, each of a type that its text in the type table names. */
final class JsonValues {
    private final JsonParser json;
    private final HeapLoad load;

    JsonValues(JsonParser json, HeapLoad load) {
        this.json = json;
        this.load = load;
    }

    /**
     * The value that the parser stands at, up to its last token.
     *
     * @throws FarheapException BAD_DATA for what is no such value
     */
    Object read(String type) throws IOException {
        if (json.currentToken() == JsonToken.VALUE_NULL) {
            return null;
        }
        try {
            return present(type);
        } catch (DateTimeException | NumberFormatException e) {
            throw FarheapException.badData(e, "%s is no %s", json.getText(), type);
        }
    }

    private Object present(String type) throws IOException {
        int space = type.indexOf(' ');
        if (type.endsWith("[]") && !type.equals("byte[]")) {
            return array(type.substring(0, type.length() - "[]".length()));
        }
        String name = type.substring(space + 1);
        return switch (space < 0 ? type : type.substring(0, space)) {
            case "record", "sealed", "flat" -> record(type, name);
            case "enum" -> constant(text(type), name);
            case "ref" -> load.reference(integer(type, 1, Long.MAX_VALUE), name);
            default -> simple(type);
        };
    }

    private Object simple(String type) throws IOException {
        return switch (type) {
            case "long" -> integer(type, Long.MIN_VALUE, Long.MAX_VALUE);
            case "int" -> (int) integer(type, Integer.MIN_VALUE, Integer.MAX_VALUE);
            case "short" -> (short) integer(type, Short.MIN_VALUE, Short.MAX_VALUE);
            case "byte" -> (byte) integer(type, Byte.MIN_VALUE, Byte.MAX_VALUE);
            case "boolean" -> bool();
            case "char" -> character(text(type));
            case "float" -> Float.parseFloat(json.getText());
            case "double" -> Double.parseDouble(json.getText());
            case "byte[]" -> bytes();
            case "String" -> text(type);
            case "BigInteger" -> new BigInteger(text(type));
            case "BigDecimal" -> new BigDecimal(text(type));
            case "Instant" -> Instant.parse(text(type));
            case "Duration" -> Duration.parse(text(type));
            case "LocalDate" -> LocalDate.parse(text(type));
            case "LocalTime" -> LocalTime.parse(text(type));
            case "LocalDateTime" -> LocalDateTime.parse(text(type));
            case "UUID" -> uuid(text(type));
            default -> throw FarheapException.badData("there is no type %s", type);
        };
    }

    private void require(boolean isSo, String type) throws IOException {
        if (!isSo) {
            throw FarheapException.badData("%s is no %s", json.getText(), type);
        }
    }

    private String text(String type) throws IOException {
        require(json.currentToken() == JsonToken.VALUE_STRING, type);
        return json.getText();
    }

    private long integer(String type, long least, long greatest) throws IOException {
        require(json.currentToken() == JsonToken.VALUE_NUMBER_INT, type);
        long number = json.getLongValue();
        require(number >= least && number <= greatest, type);
        return number;
    }

    private boolean bool() throws IOException {
        JsonToken token = json.currentToken();
        require(token == JsonToken.VALUE_TRUE || token == JsonToken.VALUE_FALSE, "boolean");
        return token == JsonToken.VALUE_TRUE;
    }

    private char character(String text) throws IOException {
        require(text.length() == 1, "char");
        return text.charAt(0);
    }

    private byte[] bytes() throws IOException {
        require(json.currentToken() == JsonToken.VALUE_STRING, "byte[]");
        return json.getBinaryValue();
    }

    private UUID uuid(String text) throws IOException {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException e) {
            throw FarheapException.badData(e, "%s is no UUID", text);
        }
    }

    private String constant(String text, String typeName) throws IOException {
        require(load.isConstant(typeName, text), "constant of " + typeName);
        return text;
    }

    private Object[] array(String element) throws IOException {
        require(json.currentToken() == JsonToken.START_ARRAY, element + "[]");
        List<Object> elements = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            elements.add(read(element));
        }
        return elements.toArray();
    }

    /** Its first component says which version of which record it is. */
    private Map<String, Object> record(String type, String name) throws IOException {
        require(json.currentToken() == JsonToken.START_OBJECT, type);
        require(StoredRecords.TYPE.equals(json.nextFieldName()), type);
        String versionedName = json.nextTextValue();
        TypeDescriptor of = versionedName == null ? null : load.type(versionedName);
        boolean isOne =
                of != null
                        && of.kind() == TypeDescriptor.Kind.RECORD
                        && (type.startsWith("sealed ")
                                ? load.isConstant(name, of.name())
                                : name.equals(of.name()) || name.equals(of.versionedName()));
        require(isOne, type);
        Map<String, Object> record = new LinkedHashMap<>();
        record.put(StoredRecords.TYPE, versionedName);
        for (String found = json.nextFieldName(); found != null; found = json.nextFieldName()) {
            Field component = of.field(found);
            require(component != null, "component of " + versionedName);
            json.nextToken();
            record.put(found, read(component.type()));
        }
        return record;
    }
}
