package io.farheap.replication.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class LineChannelTest {

    @Test
    void linesComeOneByOneAndThenTheEnd() throws Exception {
        LineChannel channel = reading("one\n\ntwo\n".getBytes(StandardCharsets.UTF_8));
        assertThat(channel.readLine()).asString().isEqualTo("one");
        assertThat(channel.readLine()).isEmpty();
        assertThat(channel.readLine()).asString().isEqualTo("two");
        assertThat(channel.readLine()).isNull();
    }

    @Test
    void anEndWithinALineIsAnError() {
        LineChannel channel = reading("half".getBytes(StandardCharsets.UTF_8));
        assertThatThrownBy(channel::readLine).isInstanceOf(EOFException.class);
    }

    @Test
    void theLongestLinePassesAndAByteMoreIsRefusedWithoutReadingOn() throws Exception {
        byte[] longest = new byte[Limits.MAX_LINE_BYTES - 1];
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        reading(new byte[0], out).writeLine(longest);
        assertThat(reading(out.toByteArray()).readLine()).hasSize(longest.length);

        InputStream endless =
                new InputStream() {
                    @Override
                    public int read() {
                        return 'x';
                    }
                };
        LineChannel channel = new LineChannel(endless, out);
        assertThatThrownBy(channel::readLine)
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("1048576");
        assertThatThrownBy(() -> channel.writeLine(new byte[Limits.MAX_LINE_BYTES]))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static LineChannel reading(byte[] bytes) {
        return reading(bytes, new ByteArrayOutputStream());
    }

    private static LineChannel reading(byte[] bytes, ByteArrayOutputStream out) {
        return new LineChannel(new ByteArrayInputStream(bytes), out);
    }
}
