package io.farheap.it.interop;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.pmemobj.NewObject;
import io.farheap.pmemobj.ObjectList;
import io.farheap.pmemobj.PoolCondition;
import io.farheap.pmemobj.PoolLocks;
import io.farheap.pmemobj.PoolMutex;
import io.farheap.pmemobj.PoolReadWriteLock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;

/** List operations that follow from a seed, under locks in the pool: link_work of judge.c. */
final class LinkWork {
    private final ObjectPool pool;
    private final Ref holder;
    private final List<ObjectList> lists;
    private final Links.Names random;
    private final PoolReadWriteLock lock;
    private final PoolMutex mutex;
    private final PoolCondition condition;

    LinkWork(ObjectPool pool, long seed) {
        this.pool = pool;
        this.holder = Links.holder(pool);
        this.lists = Links.of(pool, holder);
        this.random = new Links.Names(seed);
        PoolLocks locks = pool.locks();
        this.lock = locks.readWriteLock(holder, Links.READ_WRITE_LOCK);
        this.mutex = locks.mutex(holder, Links.MUTEX);
        this.condition = locks.condition(holder, Links.CONDITION);
    }

    void step() {
        lock.writeLock().lock();
        mutex.lock();
        try {
            apply(Links.of(pool).step(random), Links.members(pool));
            condition.signalAll();
        } finally {
            mutex.unlock();
            lock.writeLock().unlock();
        }
    }

    private void apply(Links.Step step, Map<Long, Ref> members) {
        Ref element = members.get(step.name());
        ObjectList from = lists.get(step.from());
        switch (step.kind()) {
            case 'N' -> insertNew(step);
            case 'I' -> insert(step, element);
            case 'F' -> from.removeAndFree(element);
            case 'R' -> from.remove(element);
            case 'M' -> move(step, element);
            default -> {}
        }
    }

    /** Where a step's element goes: an end of the list, or beside a neighbour. */
    private Ref neighbour(Links.Step step, Ref element) {
        List<Ref> others = Listing.refs(lists.get(step.to()));
        others.remove(element);
        if (step.at() == 0 || step.at() == others.size()) {
            return Ref.NULL;
        }
        return others.get(step.flag() ? step.at() : step.at() - 1);
    }

    private void insertNew(Links.Step step) {
        ObjectList list = lists.get(step.to());
        Ref beside = neighbour(step, Ref.NULL);
        Ref made;
        if (beside.isNull()) {
            made =
                    step.at() == 0
                            ? list.insertNewFirst(step.size(), Links.MEMBER, o -> name(o, step))
                            : list.insertNewLast(step.size(), Links.MEMBER, o -> name(o, step));
        } else if (step.flag()) {
            made = list.insertNewBefore(beside, step.size(), Links.MEMBER, o -> name(o, step));
        } else {
            made = list.insertNewAfter(beside, step.size(), Links.MEMBER, o -> name(o, step));
        }
        // Held until this run ends, and by nobody afterwards.
        pool.locks().mutex(made, Links.MEMBER_MUTEX).lock();
    }

    private static void name(NewObject object, Links.Step step) {
        object.fill(0, object.usableSize(), (byte) 0xA5);
        object.fill(0, Links.MEMBER_BYTES, (byte) 0);
        object.setLong(0, step.name());
    }

    private void insert(Links.Step step, Ref element) {
        ObjectList list = lists.get(step.to());
        Ref beside = neighbour(step, element);
        if (beside.isNull()) {
            if (step.at() == 0) {
                list.insertFirst(element);
            } else {
                list.insertLast(element);
            }
        } else if (step.flag()) {
            list.insertBefore(beside, element);
        } else {
            list.insertAfter(beside, element);
        }
    }

    private void move(Links.Step step, Ref element) {
        ObjectList list = lists.get(step.to());
        ObjectList source = lists.get(step.from());
        Ref beside = neighbour(step, element);
        if (beside.isNull()) {
            if (step.at() == 0) {
                list.moveFirst(source, element);
            } else {
                list.moveLast(source, element);
            }
        } else if (step.flag()) {
            list.moveBefore(beside, source, element);
        } else {
            list.moveAfter(beside, source, element);
        }
    }

    /** Takes every lock there is, without waiting: nobody of an earlier run can hold one. */
    static int takeAllLocks(ObjectPool pool) {
        Ref holder = Links.holder(pool);
        PoolLocks locks = pool.locks();
        int taken = 0;
        for (int i = 0; i < Links.LISTS; i++) {
            long head = 16 + (long) i * ObjectList.HEAD_BYTES;
            taken += take(locks.mutex(holder, head + ObjectList.MUTEX_OFFSET));
        }
        for (Ref member : pool.objects(Links.MEMBER)) {
            taken += take(locks.mutex(member, Links.MEMBER_MUTEX));
        }
        PoolReadWriteLock readWriteLock = locks.readWriteLock(holder, Links.READ_WRITE_LOCK);
        taken += take(readWriteLock.writeLock());
        return taken + take(locks.mutex(holder, Links.MUTEX));
    }

    private static int take(Lock lock) {
        if (!lock.tryLock()) {
            throw new AssertionError(lock + " is held");
        }
        return 1;
    }
}
