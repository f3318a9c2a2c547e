package io.farheap.replication.control;

import com.fasterxml.jackson.annotation.JsonFormat;

/**
 * A range of the image, {@code [offset, length]} on the wire.
 *
 * @param offset image offset in bytes
 * @param length bytes, at least 1
 */
@JsonFormat(shape = JsonFormat.Shape.ARRAY)
public record ByteRange(long offset, long length) {
    public ByteRange {
        Limits.require(offset >= 0 && length > 0 && offset + length > 0, "range");
    }
}
