package io.farheap.model.heap;

/** Whether what all have seen in the end is explained by the order of the versions. */
final class Judge {
    private final Script script;

    Judge(Script script) {
        this.script = script;
    }

    /** What is wrong; null: nothing. */
    String verdict(ModeledHeap heap) {
        int[] now = {script.initially(0), script.initially(1)};
        boolean explained = heap.returnedBeforeRead == 0 && isSeen(heap, now);
        for (int version = 1; version < ModeledHeap.VERSIONS; version++) {
            int writer = heap.committer[version] - 1;
            if (writer >= 0) {
                for (int object = 0; object < ModeledHeap.OBJECTS; object++) {
                    int seen = heap.seen[writer * ModeledHeap.OBJECTS + object];
                    if (script.reads(writer, object) && seen != now[object]) {
                        return "a transaction committed on what was no longer so";
                    }
                }
                apply(writer, now);
            }
            explained |= version >= heap.returnedBeforeRead && isSeen(heap, now);
        }
        return explained ? null : "a read saw what never was, or what was over";
    }

    private void apply(int writer, int[] now) {
        for (int object = 0; object < ModeledHeap.OBJECTS; object++) {
            if (script.writes(writer, object)) {
                now[object] = script.value(writer, object);
            }
        }
        if (script == Script.REUSE && writer == 1) {
            now[1] = Script.NEW_OBJECT;
        }
    }

    /** Of an object that nothing refers to a read sees nothing. */
    private boolean isSeen(ModeledHeap heap, int[] now) {
        boolean followed = script != Script.REUSE || now[0] != 0;
        return heap.readSeen[0] == now[0] && (!followed || heap.readSeen[1] == now[1]);
    }
}
