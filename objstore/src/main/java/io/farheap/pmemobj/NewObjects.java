package io.farheap.pmemobj;

import io.farheap.engine.PoolEngine;
import java.util.Arrays;

/**
 * Faces of new objects, used in turn: what a program keeps of one that has ended must not act on
 * the next, and a face for each would be garbage. One that was used late is known to be kept, and
 * is not used again. For the pool's own use.
 */
public final class NewObjects {
    private static final int FIRST_CAPACITY = 64;

    private final PoolEngine engine;
    private final long poolId;
    private final boolean fresh;
    private NewObject[] faces;
    private int at;

    /**
     * @param fresh whether none is used twice
     */
    NewObjects(PoolEngine engine, long poolId, boolean fresh) {
        this.engine = engine;
        this.poolId = poolId;
        this.fresh = fresh;
        this.faces = new NewObject[fresh ? 1 : FIRST_CAPACITY];
    }

    /** A face that stands for no object, the one that has done so for longest. */
    NewObject next() {
        int next = (at + 1) % faces.length;
        NewObject face = faces[next];
        if (face != null && face.isInUse() && !fresh) {
            next = faces.length;
            faces = Arrays.copyOf(faces, 2 * next);
            face = null;
        }
        if (face == null || fresh || face.wasUsedLate()) {
            face = new NewObject(engine, poolId);
            faces[next] = face;
        }
        at = next;
        return face;
    }
}
