package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.Ref;
import io.farheap.pmemobj.ObjectConstructor;
import io.farheap.pmemobj.ObjectList;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Random operations on three lists and, beside them, on three ArrayLists. */
final class ListModel {
    private static final long TYPE = 99;
    private static final long[] HEADS = {0, 160, 80};
    private static final long[] ENTRIES = {16, 16, 48};
    private static final int MOST = 60;

    private final ObjectPool pool;
    private final Ref heads;
    private final Random random;
    private final List<List<Ref>> lists =
            List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    private final List<Ref> loose = new ArrayList<>();

    ListModel(ObjectPool pool, Ref heads, Random random) {
        this.pool = pool;
        this.heads = heads;
        this.random = random;
    }

    private ObjectList real(ObjectPool which, int list) {
        return which.list(heads, HEADS[list], ENTRIES[list]);
    }

    void step() {
        int list = random.nextInt(3);
        List<Ref> model = lists.get(list);
        switch (random.nextInt(5)) {
            case 0 -> insertNew(list, model);
            case 1 -> insert(list, model);
            case 2 -> {
                if (!model.isEmpty()) {
                    remove(list, model);
                }
            }
            default -> {
                if (!model.isEmpty()) {
                    move(list, model, random.nextInt(3));
                }
            }
        }
    }

    private void insertNew(int list, List<Ref> model) {
        if (model.size() > MOST) {
            return;
        }
        long size = 80L + random.nextInt(1000);
        int at = random.nextInt(model.size() + 1);
        ObjectList real = real(pool, list);
        ObjectConstructor garbage = object -> object.fill(0, object.usableSize(), (byte) 0xEE);
        Ref made;
        if (at == 0) {
            made = real.insertNewFirst(size, TYPE, garbage);
        } else if (at == model.size()) {
            made = real.insertNewLast(size, TYPE, garbage);
        } else if (random.nextBoolean()) {
            made = real.insertNewBefore(model.get(at), size, TYPE, garbage);
        } else {
            made = real.insertNewAfter(model.get(at - 1), size, TYPE, garbage);
        }
        model.add(at, made);
    }

    private void insert(int list, List<Ref> model) {
        if (loose.isEmpty()) {
            return;
        }
        Ref element = loose.remove(random.nextInt(loose.size()));
        int at = random.nextInt(model.size() + 1);
        ObjectList real = real(pool, list);
        if (at == 0) {
            real.insertFirst(element);
        } else if (at == model.size()) {
            real.insertLast(element);
        } else if (random.nextBoolean()) {
            real.insertBefore(model.get(at), element);
        } else {
            real.insertAfter(model.get(at - 1), element);
        }
        model.add(at, element);
    }

    private void remove(int list, List<Ref> model) {
        Ref element = model.remove(random.nextInt(model.size()));
        if (random.nextBoolean()) {
            real(pool, list).removeAndFree(element);
        } else {
            real(pool, list).remove(element);
            loose.add(element);
        }
    }

    private void move(int from, List<Ref> source, int to) {
        List<Ref> target = lists.get(to);
        Ref element = source.remove(random.nextInt(source.size()));
        int at = random.nextInt(target.size() + 1);
        ObjectList real = real(pool, to);
        ObjectList realSource = real(pool, from);
        if (at == 0) {
            real.moveFirst(realSource, element);
        } else if (at == target.size()) {
            real.moveLast(realSource, element);
        } else if (random.nextBoolean()) {
            real.moveBefore(target.get(at), realSource, element);
        } else {
            real.moveAfter(target.get(at - 1), realSource, element);
        }
        target.add(at, element);
    }

    /** The lists in a pool are the model's. */
    void check(ObjectPool which, String where) {
        int elements = loose.size();
        for (int list = 0; list < 3; list++) {
            List<Ref> backwards = new ArrayList<>();
            real(which, list).reversed().forEach(element -> backwards.add(0, element));
            assertThat(real(which, list)).as(where).containsExactlyElementsOf(lists.get(list));
            assertThat(backwards).as(where).isEqualTo(lists.get(list));
            elements += lists.get(list).size();
        }
        assertThat(which.objects(TYPE)).as(where).hasSize(elements);
    }
}
