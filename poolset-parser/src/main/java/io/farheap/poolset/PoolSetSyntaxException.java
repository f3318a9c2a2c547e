package io.farheap.poolset;

/**
 * A poolset file breaks the grammar or a rule of its use. The message is one sentence with file,
 * line and column, and what was expected there; it contains libpmemobj's own text for the same
 * mistake.
 */
public final class PoolSetSyntaxException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String file;
    private final int line;
    private final int column;
    private final String problem;
    private final String expected;

    PoolSetSyntaxException(String file, int line, int column, String problem, String expected) {
        super(file + ":" + line + ":" + column + ": " + problem + "; expected " + expected);
        this.file = file;
        this.line = line;
        this.column = column;
        this.problem = problem;
        this.expected = expected;
    }

    /** The file as it was named. */
    public String file() {
        return file;
    }

    /** From 1; the end of the file counts as one more line. */
    public int line() {
        return line;
    }

    /** From 1, in bytes. */
    public int column() {
        return column;
    }

    /** libpmemobj's text for this mistake. */
    public String problem() {
        return problem;
    }

    /** What should stand there. */
    public String expected() {
        return expected;
    }
}
