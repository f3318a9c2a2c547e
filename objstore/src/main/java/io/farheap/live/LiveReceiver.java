package io.farheap.live;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** Takes a copy of an open pool. */
public interface LiveReceiver {
    /**
     * A copy begins; what was received before, of an image that has grown meanwhile, is void. Until
     * a range says otherwise all bytes are 0.
     *
     * @param header 4096 bytes with the pool's features and poolset uuid
     */
    void begin(long imageBytes, MemorySegment header) throws IOException;

    /**
     * Content, which replaces what was received of that range before.
     *
     * @param content valid during the call
     */
    void range(long offset, MemorySegment content) throws IOException;
}
