package io.farheap.tools.info;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** Bytes as hexdump -C shows them; equal lines once, then a star. */
final class HexDump {
    private static final int WIDTH = 16;

    private HexDump() {}

    static List<String> of(MemorySegment memory, long from, long length) {
        List<String> lines = new ArrayList<>();
        String last = null;
        for (long at = from; at < from + length; at += WIDTH) {
            String content = line(memory, at, (int) Math.min(WIDTH, from + length - at));
            if (!content.equals(last)) {
                lines.add(String.format("%08x  %s", at, content));
            } else if (!lines.get(lines.size() - 1).equals("*")) {
                lines.add("*");
            }
            last = content;
        }
        lines.add(String.format("%08x", from + length));
        return lines;
    }

    private static String line(MemorySegment memory, long at, int length) {
        StringBuilder hex = new StringBuilder();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < WIDTH; i++) {
            if (i < length) {
                byte value = memory.get(ValueLayout.JAVA_BYTE, at + i);
                hex.append(String.format("%02x ", value));
                text.append(value >= ' ' && value <= '~' ? (char) value : '.');
            } else {
                hex.append("   ");
            }
        }
        return hex + " |" + text + "|";
    }
}
