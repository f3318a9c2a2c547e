package io.farheap.it.interop;

import io.farheap.ObjectPool;
import io.farheap.base.ListAt;
import io.farheap.base.Ref;
import io.farheap.pmemobj.ObjectList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What three lists of a pool hold, member by member, and the members that are in none. What a seed
 * makes of them is the same here, in {@link LinkWork} and in {@code judge.c}: whoever was halted on
 * the way left one of the states that this goes through.
 *
 * @param lists the names of the members, in order
 * @param loose the names of the others, as unsigned numbers ascending
 */
record Links(List<List<Long>> lists, List<Long> loose) {
    static final long MEMBER = 1000;
    static final long HOLDER = 1001;
    static final int MOST_MEMBERS = 120;
    static final int LISTS = 3;

    /** Bytes of a holder: 16, three heads, a read-write lock, a condition, a mutex, a PMEMvlt. */
    static final long HOLDER_BYTES = 16L + LISTS * ObjectList.HEAD_BYTES + 3 * 64 + 16;

    static final long READ_WRITE_LOCK = 256;
    static final long CONDITION = 320;
    static final long MUTEX = 384;
    static final long VOLATILE = 448;

    /** Bytes of a member: name, 8, two entries, a mutex; it may have more. */
    static final long MEMBER_BYTES = 144;

    static final long MEMBER_MUTEX = 80;

    private static final long[] ENTRIES = {16, 16, 48};

    /** What a step does; neighbours are named by position in the list without the element. */
    record Step(char kind, int from, int to, long name, int at, boolean flag, long size) {}

    /** The three lists of a pool. */
    static List<ObjectList> of(ObjectPool pool, Ref holder) {
        List<ObjectList> lists = new ArrayList<>();
        for (int i = 0; i < LISTS; i++) {
            long head = 16 + (long) i * ObjectList.HEAD_BYTES;
            lists.add(pool.list(holder, head, ENTRIES[i]));
        }
        return lists;
    }

    /** Where the three lists are, for a check. */
    static ListAt[] places(Ref holder) {
        ListAt[] places = new ListAt[LISTS];
        for (int i = 0; i < LISTS; i++) {
            places[i] = new ListAt(holder, 16 + (long) i * ObjectList.HEAD_BYTES, ENTRIES[i]);
        }
        return places;
    }

    /** The holder of a pool's lists, made if there is none. */
    static Ref holder(ObjectPool pool) {
        for (Ref holder : pool.objects(HOLDER)) {
            return holder;
        }
        return pool.atomic().allocateZeroed(HOLDER_BYTES, HOLDER);
    }

    /** All members of a pool by name. */
    static Map<Long, Ref> members(ObjectPool pool) {
        Map<Long, Ref> members = new HashMap<>();
        for (Ref member : pool.objects(MEMBER)) {
            members.put(pool.getLong(member, 0), member);
        }
        return members;
    }

    /** Reads them, both ways. */
    static Links of(ObjectPool pool) {
        List<List<Long>> lists = new ArrayList<>();
        Set<Long> linked = new HashSet<>();
        for (ObjectList list : of(pool, holder(pool))) {
            List<Long> names = new ArrayList<>();
            list.forEach(member -> names.add(pool.getLong(member, 0)));
            List<Long> backwards = new ArrayList<>();
            list.reversed().forEach(member -> backwards.add(0, pool.getLong(member, 0)));
            if (!backwards.equals(names)) {
                throw new AssertionError(names + " backwards is " + backwards);
            }
            lists.add(names);
            for (long name : names) {
                if (!linked.add(name)) {
                    throw new AssertionError(Long.toHexString(name) + " is in two places");
                }
            }
        }
        List<Long> loose = new ArrayList<>(members(pool).keySet());
        loose.removeAll(linked);
        loose.sort(Long::compareUnsigned);
        return new Links(lists, loose);
    }

    /** As {@code judge lists} prints them. */
    static Links parse(String text) {
        List<List<Long>> all = new ArrayList<>();
        for (String line : text.lines().toList()) {
            List<Long> names = new ArrayList<>();
            for (String word : line.split(" ", -1)) {
                if (!word.equals("list") && !word.equals("loose")) {
                    names.add(Long.parseUnsignedLong(word, 16));
                }
            }
            all.add(names);
        }
        return new Links(all.subList(0, LISTS), all.get(LISTS));
    }

    private Links copy() {
        List<List<Long>> copies = new ArrayList<>();
        lists.forEach(list -> copies.add(new ArrayList<>(list)));
        return new Links(copies, new ArrayList<>(loose));
    }

    /** All states on the way, this one first. */
    List<Links> states(long seed, int steps) {
        List<Links> states = new ArrayList<>(List.of(this));
        Names random = new Names(seed);
        for (int i = 0; i < steps; i++) {
            Links next = states.get(i).copy();
            next.apply(next.step(random));
            states.add(next);
        }
        return states;
    }

    /** What comes next; the rule of link_step in judge.c. */
    Step step(Names random) {
        long r = random.next();
        long name = random.next();
        int kind = (int) Long.remainderUnsigned(r, 8);
        int a = (int) ((r >>> 8) % LISTS);
        int b = (int) ((r >>> 16) % LISTS);
        int x = (int) (r >>> 24) & 0xffff;
        int y = (int) (r >>> 40) & 0xffff;
        boolean flag = (r >>> 56 & 1) != 0;
        List<Long> source = lists.get(a);
        int all = loose.size() + lists.stream().mapToInt(List::size).sum();
        if (kind <= 1 && all < MOST_MEMBERS) {
            long size = MEMBER_BYTES + Long.remainderUnsigned(name, 300);
            return new Step('N', a, a, name, y % (source.size() + 1), flag, size);
        }
        if (kind == 2 && !loose.isEmpty()) {
            long chosen = loose.get(x % loose.size());
            return new Step('I', a, a, chosen, y % (source.size() + 1), flag, 0);
        }
        if (kind <= 2 || source.isEmpty()) {
            return new Step('-', a, a, 0, 0, flag, 0);
        }
        long chosen = source.get(x % source.size());
        if (kind <= 4) {
            return new Step(kind == 4 ? 'F' : 'R', a, a, chosen, 0, flag, 0);
        }
        int others = lists.get(b).size() - (a == b ? 1 : 0);
        return new Step('M', a, b, chosen, y % (others + 1), flag, 0);
    }

    private void apply(Step step) {
        switch (step.kind) {
            case 'N' -> lists.get(step.to).add(step.at, step.name);
            case 'I' -> {
                loose.remove(step.name);
                lists.get(step.to).add(step.at, step.name);
            }
            case 'F' -> lists.get(step.from).remove(step.name);
            case 'R' -> {
                lists.get(step.from).remove(step.name);
                loose.add(step.name);
                loose.sort(Long::compareUnsigned);
            }
            case 'M' -> {
                lists.get(step.from).remove(step.name);
                lists.get(step.to).add(step.at, step.name);
            }
            default -> {}
        }
    }

    /** The random numbers of {@code judge.c}. */
    static final class Names {
        private long state;

        Names(long seed) {
            state = seed | 1;
        }

        long next() {
            state ^= state << 13;
            state ^= state >>> 7;
            state ^= state << 17;
            return state;
        }
    }
}
