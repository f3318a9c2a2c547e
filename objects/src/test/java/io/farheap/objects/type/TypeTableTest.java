package io.farheap.objects.type;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.objects.PersistentHeap;
import io.farheap.objects.schema.Persistent;
import io.farheap.objects.transaction.HeapTransactions;
import io.farheap.objects.type.TypeDescriptor.Field;
import io.farheap.objects.type.TypeDescriptor.Kind;
import io.farheap.objects.value.FieldPlace;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Nothing gets into a type table that the next who opens the pool would refuse. */
class TypeTableTest {
    @Persistent
    interface Root {}

    private static TypeDescriptor sealed(long id, int version, String... records) {
        List<Field> fields = new ArrayList<>();
        for (String one : records) {
            fields.add(new Field(one, "", 0, 0, FieldPlace.NONE, false));
        }
        return new TypeDescriptor(
                id, Kind.SEALED, version, "Pay", "bank.Pay", List.of(), 8, 8, fields);
    }

    @Test
    void aDescriptorThatCantBeReadIsNotWritten() {
        try (PersistentHeap<Root> heap = PersistentHeap.inMemory(Root.class);
                HeapTransactions transactions = new HeapTransactions(heap.pool())) {
            long id = TypeDescriptor.FIRST_ID + 1;
            assertThatThrownBy(() -> append(transactions, sealed(id, 1, "Card", "Card")))
                    .isInstanceOf(FarheapException.class)
                    .hasMessageContaining("two fields have one name");
            assertThat(read(transactions)).hasSize(1);
            append(transactions, sealed(id, 1, "Card", "Cash"));
            assertThat(read(transactions)).hasSize(2);
        }
    }

    private static List<Long> fill(HeapTransactions transactions, int size) {
        List<Long> objects = new ArrayList<>();
        try {
            while (true) {
                objects.add(transactions.transaction(tx -> tx.allocate(size, 7)));
            }
        } catch (FarheapException full) {
            assertThat(full).hasMessageContaining("no room");
        }
        return objects;
    }

    /** Else a program with a new type could not even begin to use a pool that has free bytes. */
    @Test
    void inAFullPoolADescriptorTakesThePlaceOfALargeObject() {
        try (PersistentHeap<Root> heap = PersistentHeap.inMemory(Root.class);
                HeapTransactions transactions = new HeapTransactions(heap.pool())) {
            List<Long> large = fill(transactions, 20_000);
            for (int i = 0; i < large.size(); i += 5) {
                long object = large.get(i);
                Object unused =
                        transactions.transaction(
                                tx -> {
                                    tx.free(object);
                                    return object;
                                });
            }
            for (int size = 1_000; size > 0; size -= 20) {
                List<Long> unused = fill(transactions, size);
            }
            append(transactions, sealed(TypeDescriptor.FIRST_ID + 1, 1, "Card", "Cash"));
            assertThat(read(transactions)).hasSize(2);
        }
    }

    private static void append(HeapTransactions transactions, TypeDescriptor type) {
        Object unused =
                transactions.transaction(
                        tx -> {
                            TypeTable.append(tx, tx.root(), type);
                            return type;
                        });
    }

    private static List<TypeDescriptor> read(HeapTransactions transactions) {
        return transactions.read(tx -> TypeTable.read(tx, tx.root()));
    }

    @Test
    void aVersionFollowsOneOfItsKind() {
        long id = TypeDescriptor.FIRST_ID;
        List<TypeDescriptor> added = new ArrayList<>();
        TypeDescriptor first =
                new TypeDescriptor(
                        id, Kind.RECORD, 1, "Pay", "bank.Pay", List.of(), 0, 1, List.of());
        WorkingTable table = new WorkingTable(List.of(first), added::add);
        assertThatThrownBy(() -> table.add(sealed(id + 1, 2, "Card")))
                .hasMessageContaining("Pay was another kind of type before");
        assertThatThrownBy(() -> table.add(sealed(id + 1, 3, "Card")))
                .hasMessageContaining("versions of Pay are missing");
        assertThat(added).isEmpty();
        assertThat(table.types()).containsExactly(first);
    }
}
