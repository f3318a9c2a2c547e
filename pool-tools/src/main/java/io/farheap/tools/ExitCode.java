package io.farheap.tools;

import io.farheap.base.FarheapException;

/** What the command's exit codes say; documented by {@code farheap help}. */
final class ExitCode {
    static final int OK = 0;
    static final int BAD_DATA = 1;
    static final int WRONG_USE = 2;
    static final int ENVIRONMENT = 3;
    static final int REPLICA = 4;
    static final int BUG = 70;

    private ExitCode() {}

    static int of(FarheapException.Category category) {
        return switch (category) {
            case BAD_DATA -> BAD_DATA;
            case WRONG_USE -> WRONG_USE;
            case ENVIRONMENT -> ENVIRONMENT;
            case REPLICA -> REPLICA;
        };
    }
}
