/** A pool's meters and its bean. */
module io.farheap.metrics {
    requires transitive io.farheap;
    requires static transitive micrometer.core;
    requires java.management;
    requires jdk.jfr;

    exports io.farheap.metrics;
}
