package io.farheap.simulation;

/** The product did what it must not do. */
final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Violation(String message) {
        super(message);
    }
}
