/** Power losses and failing disks, for tests of programs that use Farheap. */
module io.farheap.testing {
    requires transitive io.farheap;

    exports io.farheap.testing;
    exports io.farheap.testing.inject;
}
