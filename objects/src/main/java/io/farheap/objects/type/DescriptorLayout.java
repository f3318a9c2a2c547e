package io.farheap.objects.type;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.farheap.base.FarheapException;
import io.farheap.objects.type.TypeDescriptor.Field;
import io.farheap.objects.type.TypeDescriptor.Kind;
import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * One type descriptor in the pool, an object of its own; it never changes.
 *
 * <pre>
 *    0  "TYPEDESC"
 *    8  image offset of the descriptor written before it, 8 B; 0: it is the first
 *   16  type id, 8 B; the one written before has the next lower one, the first 2^32
 *   24  bytes of the descriptor, 4 B        28  version of the name, 4 B
 *   32  kind, 2 B: 1 object, 2 record, 3 enum, 4 sealed interface
 *   34  number of super types, 2 B          36  number of fields, 4 B
 *   40  size in bytes, 4 B                  44  alignment, 4 B
 *   48  texts: name, Java name, names of super types
 *       fields, each: offset 4 B, size 4 B, null bit 4 B, flags 4 B (1: required), name, type
 *
 *   a text is its length, 2 B, and its bytes, UTF-8; nothing is aligned from 48 on
 * </pre>
 */
final class DescriptorLayout {
    static final int HEADER_BYTES = 48;
    static final int BYTES_MAX = 1 << 20;
    static final int NEXT_AT = 8;
    static final int ID_AT = 16;
    static final int BYTES_AT = 24;

    private static final long MAGIC =
            ByteBuffer.wrap("TYPEDESC".getBytes(UTF_8)).order(ByteOrder.LITTLE_ENDIAN).getLong();
    private static final int REQUIRED = 1;
    private static final int TEXT_MAX = 0xFFFF;

    private DescriptorLayout() {}

    // ---- writing ----

    /** The bytes of a descriptor behind another. */
    static byte[] encode(TypeDescriptor type, long before) {
        ByteArrayOutputStream texts = new ByteArrayOutputStream();
        text(texts, type.name());
        text(texts, type.javaName());
        type.superTypes().forEach(name -> text(texts, name));
        for (Field field : type.fields()) {
            number(texts, field.offset());
            number(texts, field.size());
            number(texts, field.nullBit());
            number(texts, field.isRequired() ? REQUIRED : 0);
            text(texts, field.name());
            text(texts, field.type());
        }
        int bytes = HEADER_BYTES + texts.size();
        if (bytes > BYTES_MAX) {
            throw FarheapException.wrongUse(
                    "The description of type %s takes %d bytes, and %d are the limit: it has too"
                            + " many fields.",
                    type.name(), bytes, BYTES_MAX);
        }
        return ByteBuffer.allocate(bytes)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(MAGIC)
                .putLong(before)
                .putLong(type.id())
                .putInt(bytes)
                .putInt(type.version())
                .putShort((short) (type.kind().ordinal() + 1))
                .putShort((short) type.superTypes().size())
                .putInt(type.fields().size())
                .putInt(type.size())
                .putInt(type.alignment())
                .put(texts.toByteArray())
                .array();
    }

    private static void number(ByteArrayOutputStream out, int value) {
        out.writeBytes(
                ByteBuffer.allocate(Integer.BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(value)
                        .array());
    }

    private static void text(ByteArrayOutputStream out, String text) {
        byte[] bytes = text.getBytes(UTF_8);
        if (bytes.length > TEXT_MAX) {
            throw FarheapException.wrongUse(
                    "The name %.40s… takes %d bytes, and %d are the limit.",
                    text, bytes.length, TEXT_MAX);
        }
        out.write(bytes.length);
        out.write(bytes.length >> 8);
        out.writeBytes(bytes);
    }

    // ---- reading ----

    /**
     * @param id that it must have
     * @throws FarheapException BAD_DATA for anything that no program wrote
     */
    static TypeDescriptor decode(byte[] bytes, long id) {
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        try {
            return decode(in, id);
        } catch (BufferUnderflowException e) {
            throw damaged(id, "it ends too early");
        }
    }

    private static TypeDescriptor decode(ByteBuffer in, long id) {
        require(in.getLong() == MAGIC, id, "it does not begin as a descriptor does");
        in.getLong();
        require(in.getLong() == id, id, "it has another id");
        require(in.getInt() == in.capacity(), id, "its length is wrong");
        int version = in.getInt();
        require(version > 0, id, "its version is not positive");
        int kind = in.getShort();
        require(kind >= 1 && kind <= Kind.values().length, id, "its kind is unknown");
        int superTypes = in.getShort() & TEXT_MAX;
        int fields = in.getInt();
        require(fields >= 0 && fields <= in.remaining(), id, "it has more fields than bytes");
        int size = in.getInt();
        int alignment = in.getInt();
        require(
                size >= 0
                        && alignment >= 1
                        && alignment <= Long.BYTES
                        && Integer.bitCount(alignment) == 1,
                id,
                "its size or alignment is impossible");
        String name = text(in, id);
        String javaName = text(in, id);
        List<String> names = new ArrayList<>();
        for (int i = 0; i < superTypes; i++) {
            names.add(text(in, id));
        }
        List<Field> list = new ArrayList<>();
        for (int i = 0; i < fields; i++) {
            list.add(field(in, id));
        }
        require(!in.hasRemaining(), id, "bytes follow its last field");
        TypeDescriptor type =
                new TypeDescriptor(
                        id,
                        Kind.values()[kind - 1],
                        version,
                        name,
                        javaName,
                        names,
                        size,
                        alignment,
                        list);
        DescriptorCheck.check(type);
        return type;
    }

    private static Field field(ByteBuffer in, long id) {
        int offset = in.getInt();
        int size = in.getInt();
        int nullBit = in.getInt();
        int flags = in.getInt();
        require((flags & ~REQUIRED) == 0, id, "a field has unknown flags");
        return new Field(text(in, id), text(in, id), offset, size, nullBit, flags != 0);
    }

    private static String text(ByteBuffer in, long id) {
        byte[] bytes = new byte[in.getShort() & TEXT_MAX];
        require(bytes.length <= in.remaining(), id, "a name ends behind it");
        in.get(bytes);
        return new String(bytes, UTF_8);
    }

    static void require(boolean isSo, long id, String otherwise) {
        if (!isSo) {
            throw damaged(id, otherwise);
        }
    }

    static FarheapException damaged(long id, String why) {
        return FarheapException.badData(
                "The type table is damaged: descriptor %d can't be right, %s. Nothing was changed;"
                        + " restore the pool from a replica (farheap status).",
                id - TypeDescriptor.FIRST_ID, why);
    }
}
