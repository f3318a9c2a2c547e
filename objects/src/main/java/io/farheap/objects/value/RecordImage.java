package io.farheap.objects.value;

import io.farheap.objects.transaction.HeapTransaction;
import java.lang.invoke.MethodHandle;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * How a record's components lie in an image, of the record as the program has it or as an earlier
 * program had it.
 */
public final class RecordImage {
    private static final Object[] NO_COMPONENTS = {};

    private final RecordClass type;
    private final int number;
    private final int size;
    private final int alignment;

    /** By component of the program; null for one that the stored record does not have. */
    private final FieldPlace[] places;

    /** Components in the order of their places: a program may declare them in another one. */
    private final int[] placed;

    /**
     * @param number of the stored record in the type table
     * @param places by component of the program; null for one that is not stored
     */
    public RecordImage(
            RecordClass type, int number, List<FieldPlace> places, int size, int alignment) {
        this.type = type;
        this.number = number;
        this.places = places.toArray(new FieldPlace[0]);
        this.placed =
                IntStream.range(0, places.size())
                        .filter(i -> places.get(i) != null)
                        .boxed()
                        .sorted(Comparator.comparingInt(i -> places.get(i).offset()))
                        .mapToInt(i -> i)
                        .toArray();
        this.size = size;
        this.alignment = alignment;
    }

    /** The number of the stored record's descriptor in the type table. */
    public int number() {
        return number;
    }

    public int size() {
        return size;
    }

    int alignment() {
        return alignment;
    }

    Class<?> javaType() {
        return type.type();
    }

    @SuppressWarnings("unchecked")
    void store(ValueImage image, int at, Object value) {
        for (int i = 0; i < places.length; i++) {
            FieldPlace place = places[i];
            Object component = type.component(i, value);
            if (component != null) {
                ((ValueType<Object>) place.type()).store(image, at + place.offset(), component);
                if (place.nullBit() >= 0) {
                    int mask = at + place.nullByte();
                    image.putByte(mask, (byte) (image.getByte(mask) | place.nullMask()));
                }
            }
        }
    }

    Object load(HeapTransaction tx, ValueImage image, int at) {
        Object[] components = places.length == 0 ? NO_COMPONENTS : new Object[places.length];
        for (int i = 0; i < places.length; i++) {
            FieldPlace place = places[i];
            components[i] =
                    isThere(place, image, at)
                            ? place.type().load(tx, image, at + place.offset())
                            : type.missing(i);
        }
        return type.make(components);
    }

    private static boolean isThere(FieldPlace place, ValueImage image, int at) {
        return place != null
                && (place.nullBit() < 0
                        || (image.getByte(at + place.nullByte()) & place.nullMask()) != 0);
    }

    int hash(Object value) {
        int hash = 1;
        for (int i : placed) {
            hash = 31 * hash + hashOf(i, type.component(i, value));
        }
        return LongType.hashOf(hash);
    }

    @SuppressWarnings("unchecked")
    private int hashOf(int index, Object component) {
        return component == null ? 0 : ((ValueType<Object>) places[index].type()).hash(component);
    }

    boolean namesObjects() {
        for (FieldPlace place : places) {
            if (place != null && place.type().namesObjects()) {
                return true;
            }
        }
        return false;
    }

    void reach(ValueImage image, int at, Reach reach) {
        for (FieldPlace place : places) {
            if (isThere(place, image, at)) {
                place.type().reach(image, at + place.offset(), reach);
            }
        }
    }

    /** A record class of the program: how to take it apart and to make one. */
    public static final class RecordClass {
        private final Class<?> type;
        private final MethodHandle constructor;
        private final MethodHandle[] components;
        private final Object[] missing;

        /**
         * @param constructor of type (Object[])Object
         * @param components each of type (Object)Object
         * @param missing what each component is where none is stored
         */
        public RecordClass(
                Class<?> type,
                MethodHandle constructor,
                MethodHandle[] components,
                Object[] missing) {
            this.type = type;
            this.constructor = constructor;
            this.components = components.clone();
            this.missing = missing.clone();
        }

        public Class<?> type() {
            return type;
        }

        Object missing(int index) {
            return missing[index];
        }

        Object component(int index, Object value) {
            try {
                return (Object) components[index].invokeExact(value);
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        }

        Object make(Object[] values) {
            try {
                return (Object) constructor.invokeExact(values);
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
