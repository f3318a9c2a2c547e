package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class StandardOutputTest {
    private final StringWriter said = new StringWriter();

    private int exitCode(OutputStream out) {
        StandardOutput output = new StandardOutput(out);
        PrintWriter writer = output.writer();
        PrintWriter err = new PrintWriter(said, true);
        int ended = Main.run(writer, err, false, "--version");
        writer.flush();
        return output.exitCode(ended, err);
    }

    @Test
    void aFullDiskIsAFailure() throws IOException {
        try (OutputStream full = new FileOutputStream("/dev/full")) {
            assertThat(exitCode(full)).isEqualTo(ExitCode.ENVIRONMENT);
        }
        assertThat(said.toString())
                .startsWith("farheap: standard output can't be written (No space left on device)")
                .hasLineCount(1);
    }

    @Test
    void aReaderThatHasEnoughIsNone() {
        OutputStream closed =
                new OutputStream() {
                    @Override
                    public void write(int octet) throws IOException {
                        throw new IOException("Broken pipe");
                    }
                };
        assertThat(exitCode(closed)).isZero();
        assertThat(said.toString()).isEmpty();
    }
}
