package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.Ref;
import io.farheap.base.TransactionAbortedException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

/** Every primitive, named by reference and by offset, in a transaction and outside of it. */
class PrimitiveFieldsTest extends TransactionFixture {
    private static final long SIZE = 64;

    /** Each is stored where it begins at an odd offset. */
    private static final long AT = 9;

    /** What sets a field, by reference and by offset, and outside of a transaction. */
    private interface Setter {
        void set(Transaction tx, Ref object);
    }

    private record Field(
            String type,
            Object value,
            Setter byRef,
            Setter byOffset,
            BiFunction<ObjectReads, Ref, Object> readByRef,
            BiFunction<ObjectReads, Ref, Object> readByOffset,
            Runnable alone) {}

    private Ref object;

    private List<Field> fields() {
        List<Field> fields = new ArrayList<>();
        fields.add(
                new Field(
                        "long",
                        Long.MIN_VALUE + 5,
                        (tx, to) -> tx.setLong(to, AT, Long.MIN_VALUE + 5),
                        (tx, to) -> tx.raw().setLong(to.offset(), AT, Long.MIN_VALUE + 5),
                        (in, from) -> in.getLong(from, AT),
                        (in, from) -> in.raw().getLong(from.offset(), AT),
                        () -> pool.setLong(object, AT, Long.MIN_VALUE + 5)));
        fields.add(
                new Field(
                        "int",
                        -7,
                        (tx, to) -> tx.setInt(to, AT, -7),
                        (tx, to) -> tx.raw().setInt(to.offset(), AT, -7),
                        (in, from) -> in.getInt(from, AT),
                        (in, from) -> in.raw().getInt(from.offset(), AT),
                        () -> pool.setInt(object, AT, -7)));
        fields.add(
                new Field(
                        "short",
                        (short) -300,
                        (tx, to) -> tx.setShort(to, AT, (short) -300),
                        (tx, to) -> tx.raw().setShort(to.offset(), AT, (short) -300),
                        (in, from) -> in.getShort(from, AT),
                        (in, from) -> in.raw().getShort(from.offset(), AT),
                        () -> pool.setShort(object, AT, (short) -300)));
        fields.add(
                new Field(
                        "byte",
                        (byte) -3,
                        (tx, to) -> tx.setByte(to, AT, (byte) -3),
                        (tx, to) -> tx.raw().setByte(to.offset(), AT, (byte) -3),
                        (in, from) -> in.getByte(from, AT),
                        (in, from) -> in.raw().getByte(from.offset(), AT),
                        () -> pool.setByte(object, AT, (byte) -3)));
        fields.add(
                new Field(
                        "char",
                        '\uFEFE',
                        (tx, to) -> tx.setChar(to, AT, '\uFEFE'),
                        (tx, to) -> tx.raw().setChar(to.offset(), AT, '\uFEFE'),
                        (in, from) -> in.getChar(from, AT),
                        (in, from) -> in.raw().getChar(from.offset(), AT),
                        () -> pool.setChar(object, AT, '\uFEFE')));
        fields.add(
                new Field(
                        "boolean",
                        true,
                        (tx, to) -> tx.setBoolean(to, AT, true),
                        (tx, to) -> tx.raw().setBoolean(to.offset(), AT, true),
                        (in, from) -> in.getBoolean(from, AT),
                        (in, from) -> in.raw().getBoolean(from.offset(), AT),
                        () -> pool.setBoolean(object, AT, true)));
        fields.add(
                new Field(
                        "float",
                        -0.0f,
                        (tx, to) -> tx.setFloat(to, AT, -0.0f),
                        (tx, to) -> tx.raw().setFloat(to.offset(), AT, -0.0f),
                        (in, from) -> in.getFloat(from, AT),
                        (in, from) -> in.raw().getFloat(from.offset(), AT),
                        () -> pool.setFloat(object, AT, -0.0f)));
        fields.add(
                new Field(
                        "double",
                        Double.MIN_VALUE,
                        (tx, to) -> tx.setDouble(to, AT, Double.MIN_VALUE),
                        (tx, to) -> tx.raw().setDouble(to.offset(), AT, Double.MIN_VALUE),
                        (in, from) -> in.getDouble(from, AT),
                        (in, from) -> in.raw().getDouble(from.offset(), AT),
                        () -> pool.setDouble(object, AT, Double.MIN_VALUE)));
        return fields;
    }

    private void begin() {
        object = pool.atomic().allocateZeroed(SIZE, TYPE);
    }

    @Test
    void aValueIsReadAsItWasSetHoweverTheObjectIsNamed() {
        for (Field field : fields()) {
            for (Setter setter : List.of(field.byRef(), field.byOffset())) {
                begin();
                pool.transaction(
                        tx -> {
                            setter.set(tx, object);
                            assertIs(field, tx);
                        });
                assertIs(field, pool);
            }
        }
    }

    @Test
    void aValueIsSetOutsideOfATransactionToo() {
        for (Field field : fields()) {
            begin();
            field.alone().run();
            assertIs(field, pool);
        }
    }

    private void assertIs(Field field, ObjectReads in) {
        assertThat(field.readByRef().apply(in, object)).as(field.type()).isEqualTo(field.value());
        assertThat(field.readByOffset().apply(in, object))
                .as(field.type())
                .isEqualTo(field.value());
    }

    @Test
    void nothingBesideAFieldIsChanged() {
        for (Field field : fields()) {
            begin();
            pool.fill(object, 0, SIZE, (byte) 0x55);
            byte[] before = pool.readBytes(object, 0, (int) SIZE);
            field.alone().run();
            byte[] after = pool.readBytes(object, 0, (int) SIZE);
            int bytes = bytes(field.type());
            for (int i = 0; i < SIZE; i++) {
                if (i < AT || i >= AT + bytes) {
                    assertThat(after[i]).as(field.type() + " at " + i).isEqualTo(before[i]);
                }
            }
        }
    }

    private static int bytes(String type) {
        return switch (type) {
            case "long", "double" -> 8;
            case "int", "float" -> 4;
            case "short", "char" -> 2;
            default -> 1;
        };
    }

    @Test
    void aFieldThatBeginsOrEndsOutsideOfItsObjectIsRefused() {
        begin();
        long usable = pool.usableSize(object);
        long bare = object.offset();
        assertRefused(() -> pool.raw().getShort(bare, usable - 1));
        assertRefused(() -> pool.raw().getByte(bare, usable));
        assertRefused(() -> pool.raw().getInt(bare, usable - 3));
        assertRefused(() -> pool.raw().getFloat(bare, -1));
        assertRefused(() -> pool.raw().getRef(bare, usable - 8));
        assertRefused(() -> pool.setChar(object, usable - 1, 'a'));
        assertRefused(() -> pool.fill(object, usable - 1, 2, (byte) 1));
    }

    private static void assertRefused(Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        refused -> assertThat(refused.category()).isEqualTo(Category.WRONG_USE));
    }

    @Test
    void aReferenceIsReadByOffsetAndOneOfAnotherPoolIsRefused() {
        begin();
        Ref target = pool.atomic().allocateZeroed(8, TYPE);
        pool.setRef(object, 16, target);
        assertThat(pool.raw().getRef(object.offset(), 16)).isEqualTo(target.offset());
        assertThat(pool.raw().getRef(object.offset(), 32)).isZero();
        pool.setLong(object, 16, pool.poolId() + 1);
        assertRefused(() -> pool.raw().getRef(object.offset(), 16));
    }

    @Test
    void whatAbortReturnsIsForTheCompilerOnly() {
        assertThatThrownBy(() -> pool.compute(PrimitiveFieldsTest::givenUp))
                .isInstanceOf(TransactionAbortedException.class);
    }

    private static int givenUp(Transaction tx) {
        throw tx.abort(); // without throw this method does not compile
    }
}
