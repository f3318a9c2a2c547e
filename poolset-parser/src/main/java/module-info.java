/** Poolset files. */
module io.farheap.poolset {
    exports io.farheap.poolset;
}
