package io.farheap.objects.type;

import io.farheap.objects.value.RecordImage;
import io.farheap.objects.value.RecordType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The types of a program and those of a pool, brought together. Does not change. */
public final class TypeSystem implements RecordType.Records {
    private final List<TypeDescriptor> table;
    private final Map<Class<?>, ObjectType> objects = new HashMap<>();
    private final Map<String, ObjectType> objectsByName = new HashMap<>();
    private final Map<Class<?>, RecordImage> records = new HashMap<>();
    private final Map<Integer, RecordImage> recordsByNumber = new HashMap<>();

    /** Over a table that grows until all types are there. */
    TypeSystem(List<TypeDescriptor> table) {
        this.table = table;
    }

    void add(ObjectType type) {
        objects.put(type.type(), type);
        objectsByName.put(type.name(), type);
    }

    void add(Class<?> record, RecordImage current) {
        records.put(record, current);
    }

    void add(RecordImage stored) {
        recordsByNumber.put(stored.number(), stored);
    }

    /** All descriptors. */
    public List<TypeDescriptor> table() {
        return List.copyOf(table);
    }

    /** Null for a type that is not among the program's. */
    public ObjectType object(Class<?> type) {
        return objects.get(type);
    }

    /** Null for a name that is not among the program's types. */
    public ObjectType object(String name) {
        return objectsByName.get(name);
    }

    public Iterable<Class<?>> objectClasses() {
        return objects.keySet();
    }

    /** How many descriptors there are. */
    public int size() {
        return table.size();
    }

    /** The descriptor of a type id; null for none. */
    public TypeDescriptor descriptor(long id) {
        long index = id - TypeDescriptor.FIRST_ID;
        return index < 0 || index >= table.size() ? null : table.get((int) index);
    }

    @Override
    public RecordImage ofValue(Object record) {
        return records.get(record.getClass());
    }

    @Override
    public RecordImage of(int number) {
        return recordsByNumber.get(number);
    }
}
