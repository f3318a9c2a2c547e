package io.farheap.objects.type;

import io.farheap.base.FarheapException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** An interface of the program with all versions of it that the pool knows. */
public final class ObjectType {
    private final Class<?> type;
    private final String name;
    private final List<Property> properties;
    private final Map<Long, Shape> shapes = new HashMap<>();
    private Shape current;

    /** Null where the program may write. */
    private String unknownRequired;

    ObjectType(Class<?> type, String name, List<Property> properties) {
        this.type = type;
        this.name = name;
        this.properties = properties;
    }

    void add(Shape shape) {
        shapes.put(shape.id(), shape);
    }

    void setCurrent(Shape shape, String requiredField) {
        this.current = shape;
        this.unknownRequired = requiredField;
    }

    public Class<?> type() {
        return type;
    }

    public String name() {
        return name;
    }

    public List<Property> properties() {
        return properties;
    }

    /** What new objects get. */
    public Shape current() {
        return current;
    }

    /** Null for one that is no version of this type. */
    public Shape shape(long id) {
        return shapes.get(id);
    }

    /** Whether a version came after the one that this program has. */
    public boolean isNewer(Shape shape) {
        return shape.descriptor().version() > current.descriptor().version();
    }

    public boolean isWritable() {
        return unknownRequired == null;
    }

    /**
     * @throws FarheapException WRONG_USE in a program that does not know a required field
     */
    public void checkWritable() {
        if (unknownRequired != null) {
            throw FarheapException.wrongUse(
                    "The pool's %s has a field %s that is required and that this program does not"
                            + " have: it may read such objects and not write them. Use the program"
                            + " with the newer %s.",
                    name, unknownRequired, type.getSimpleName());
        }
    }
}
