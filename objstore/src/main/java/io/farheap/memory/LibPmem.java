package io.farheap.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.NoSuchElementException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * libpmem, when it is installed: the only way from Java to write cache lines back without a system
 * call. Looked for once.
 */
final class LibPmem {
    private static final Logger LOG = LoggerFactory.getLogger(LibPmem.class);
    private static final String LIBRARY = "libpmem.so.1";

    private static final MethodHandle FLUSH;
    private static final MethodHandle DRAIN;
    private static final MethodHandle COPY;
    private static final boolean AUTO_FLUSH;

    static {
        MethodHandle flush = null;
        MethodHandle drain = null;
        MethodHandle copy = null;
        boolean autoFlush = false;
        try {
            Linker linker = Linker.nativeLinker();
            SymbolLookup library = SymbolLookup.libraryLookup(LIBRARY, Arena.global());
            // They run a few instructions for each cache line, so the thread need not leave its
            // Java state.
            flush =
                    linker.downcallHandle(
                            library.findOrThrow("pmem_flush"),
                            FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG),
                            Linker.Option.critical(false));
            drain =
                    linker.downcallHandle(
                            library.findOrThrow("pmem_drain"),
                            FunctionDescriptor.ofVoid(),
                            Linker.Option.critical(false));
            copy =
                    linker.downcallHandle(
                            library.findOrThrow("pmem_memcpy_nodrain"),
                            FunctionDescriptor.of(
                                    ValueLayout.JAVA_LONG,
                                    ValueLayout.JAVA_LONG,
                                    ValueLayout.JAVA_LONG,
                                    ValueLayout.JAVA_LONG),
                            Linker.Option.critical(false));
            MethodHandle hasAutoFlush =
                    linker.downcallHandle(
                            library.findOrThrow("pmem_has_auto_flush"),
                            FunctionDescriptor.of(ValueLayout.JAVA_INT));
            autoFlush = (int) hasAutoFlush.invokeExact() == 1;
        } catch (IllegalArgumentException | NoSuchElementException e) {
            flush = null;
            drain = null;
            copy = null;
            LOG.debug("no usable {}: flushing by msync ({})", LIBRARY, e.getMessage());
        } catch (Throwable e) {
            throw new ExceptionInInitializerError(e);
        }
        FLUSH = flush;
        DRAIN = drain;
        COPY = copy;
        AUTO_FLUSH = autoFlush;
    }

    private LibPmem() {}

    static boolean isInstalled() {
        return FLUSH != null;
    }

    /** Whether the platform flushes the CPU's caches itself on power loss. */
    static boolean hasAutoFlush() {
        return AUTO_FLUSH;
    }

    static void flush(long address, long length) {
        try {
            FLUSH.invokeExact(address, length);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    static void drain() {
        try {
            DRAIN.invokeExact();
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** Copies, long ranges past the caches; {@link #drain} by the same thread makes it durable. */
    static void copy(long target, long source, long length) {
        try {
            long unused = (long) COPY.invokeExact(target, source, length);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
