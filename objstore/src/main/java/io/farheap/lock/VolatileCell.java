package io.farheap.lock;

import java.util.concurrent.locks.ReentrantLock;

/** The value of one place for one run. */
public final class VolatileCell {
    final ReentrantLock making = new ReentrantLock();
    private volatile Object value;
    private volatile boolean dead;

    VolatileCell() {}

    /** The value; null before it was made, and once its object was freed. */
    public Object value() {
        return dead ? null : value;
    }

    boolean isDead() {
        return dead;
    }

    void set(Object newValue) {
        value = newValue;
    }

    void die() {
        dead = true;
        value = null;
    }
}
