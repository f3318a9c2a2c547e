package io.farheap.tools;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;

/**
 * Where the command prints. Remembers what a writer does not tell: that something could not be
 * written. Not thread-safe, as its one writer is.
 */
final class StandardOutput extends FilterOutputStream {
    private IOException failure;

    StandardOutput(OutputStream out) {
        super(out);
    }

    PrintWriter writer() {
        return new PrintWriter(new OutputStreamWriter(this, System.out.charset()), true);
    }

    @Override
    public void write(int octet) throws IOException {
        write(new byte[] {(byte) octet}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        try {
            out.write(bytes, offset, length);
        } catch (IOException e) {
            failure = failure == null ? e : failure;
            throw e;
        }
    }

    /** The exit code of a command that ended with {@code exitCode}, all it printed flushed. */
    int exitCode(int exitCode, PrintWriter err) {
        // Who reads no further, as head does, has what was wanted.
        if (failure == null || "Broken pipe".equals(failure.getMessage())) {
            return exitCode;
        }
        String sentence =
                "standard output can't be written ("
                        + failure.getMessage()
                        + "): what the command says is not complete there; what it did is done";
        int told = new Failure(ExitCode.ENVIRONMENT, sentence, failure).report(err);
        return exitCode == ExitCode.OK ? told : exitCode;
    }
}
