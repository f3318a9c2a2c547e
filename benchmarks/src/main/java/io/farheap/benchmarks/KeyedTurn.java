package io.farheap.benchmarks;

/**
 * What a side does in one turn: so many batches of operations, of the entries {@code first *
 * stride}, {@code (first + 1) * stride}, … modulo {@code entries}.
 */
record KeyedTurn(
        KeyedOperation operation, int first, int batches, int batch, int stride, int entries) {

    /** As {@code map.c} reads it. */
    String order() {
        return operation.word() + " " + first + " " + batches + " " + batch + " " + stride + "\n";
    }
}
