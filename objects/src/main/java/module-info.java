/** Typed objects: {@code io.farheap.objects.PersistentHeap} is where to begin. */
module io.farheap.objects {
    requires transitive io.farheap;
    requires jdk.jfr;

    exports io.farheap.objects;
    exports io.farheap.objects.dump to
            io.farheap.tools;
    exports io.farheap.objects.schema;
    exports io.farheap.objects.type to
            io.farheap.tools;
}
