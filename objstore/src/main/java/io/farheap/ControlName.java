package io.farheap;

import io.farheap.base.AllocationClassDescriptor;
import io.farheap.base.AllocationClassDescriptor.HeaderType;
import io.farheap.base.StatisticsMode;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names of libpmemobj's control name space that a configuration may set, and what each does
 * (docs/libpmemobj.md#controls). What is wrong is said by an exception without a stack of its own
 * meaning: the caller adds the query.
 */
final class ControlName {
    private static final Pattern CLASS = Pattern.compile("heap\\.alloc_class\\.([0-9]+)\\.desc");
    private static final Pattern ARENA = Pattern.compile("heap\\.arena\\.([0-9]+)\\.automatic");
    private static final int MOST_CLASSES = 254;

    /** Names that can be read or run in an open pool, not set. */
    private static final Set<String> NOT_SET =
            Set.of(
                    "heap.arena.create",
                    "heap.narenas.automatic",
                    "heap.narenas.total",
                    "heap.size.extend",
                    "stats.heap.curr_allocated",
                    "stats.heap.run_allocated",
                    "stats.heap.run_active",
                    "tx.post_commit.worker",
                    "tx.post_commit.stop");

    private ControlName() {}

    /**
     * @throws IllegalArgumentException for a name that is not there or can't be set, and for a
     *     value that is none
     */
    static void set(PoolOptionsBuilder options, String name, String value) {
        switch (name) {
            case "prefault.at_create" -> options.prefaultAtCreate(bool(value));
            case "prefault.at_open" -> options.prefaultAtOpen(bool(value));
            case "sds.at_create" -> options.shutdownState(bool(value));
            case "copy_on_write.at_open" -> options.copyOnWrite(bool(value));
            case "fallocate.at_create" -> options.allocatedSpace(bool(value));
            case "tx.debug.skip_expensive_checks", "tx.debug.verify_user_buffers" -> {
                boolean unused = bool(value); // no check is left out here, and no buffer taken
            }
            case "stats.enabled" -> options.statistics(statistics(value));
            case "tx.cache.size" -> options.undoExtensionBytes(number(value));
            case "tx.cache.threshold", "tx.post_commit.queue_depth" -> {
                long unused = number(value); // as in libpmemobj, where they are deprecated
            }
            case "debug.heap.alloc_pattern" -> options.allocationPattern(pattern(value));
            default -> setOfHeap(options, name, value);
        }
    }

    private static void setOfHeap(PoolOptionsBuilder options, String name, String value) {
        switch (name) {
            case "heap.arenas_assignment_type" -> options.oneArenaForAll(global(value));
            case "heap.arenas_default_max" -> options.arenas(count(value));
            case "heap.narenas.max" -> options.maxArenas(count(value));
            case "heap.thread.arena_id" -> options.threadArena(count(value));
            case "heap.size.granularity" -> options.granularity(number(value));
            case "heap.alloc_class.new.desc" -> {
                AllocationClassDescriptor wanted = descriptor(0, value);
                options.newAllocationClass(
                        wanted.unitSize(),
                        wanted.alignment(),
                        wanted.unitsPerBlock(),
                        wanted.headerType());
            }
            default -> setNumbered(options, name, value);
        }
    }

    private static void setNumbered(PoolOptionsBuilder options, String name, String value) {
        Matcher ofClass = CLASS.matcher(name);
        if (ofClass.matches()) {
            int id = index(ofClass, MOST_CLASSES);
            options.allocationClass(descriptor(id, value));
            return;
        }
        Matcher ofArena = ARENA.matcher(name);
        if (ofArena.matches()) {
            options.automaticArena(index(ofArena, Integer.MAX_VALUE), bool(value));
            return;
        }
        throw new IllegalArgumentException(
                NOT_SET.contains(name)
                        ? name + " cannot be set"
                        : "there is no name \"" + name + "\"");
    }

    private static int index(Matcher name, int most) {
        String digits = name.group(1);
        if (digits.length() > 10 || Long.parseLong(digits) > most) {
            throw new IllegalArgumentException(digits + " is above " + most);
        }
        return Integer.parseInt(digits);
    }

    private static boolean bool(String value) {
        return switch (Character.toLowerCase(value.charAt(0))) {
            case 'y', '1' -> true;
            case 'n', '0' -> false;
            default -> throw new IllegalArgumentException("\"" + value + "\" is neither y nor n");
        };
    }

    private static StatisticsMode statistics(String value) {
        if (value.matches("[yYnN01].*")) {
            return bool(value) ? StatisticsMode.BOTH : StatisticsMode.DISABLED;
        }
        for (StatisticsMode mode : StatisticsMode.values()) {
            if (mode.name().toLowerCase(Locale.ROOT).equals(value)) {
                return mode;
            }
        }
        throw new IllegalArgumentException(
                "\"" + value + "\" is none of transient, both, persistent, disabled");
    }

    private static boolean global(String value) {
        if (value.equals("global") || value.equals("thread")) {
            return value.equals("global");
        }
        throw new IllegalArgumentException("\"" + value + "\" is neither thread nor global");
    }

    private static int pattern(String value) {
        long number = number(value);
        if (number != (int) number) {
            throw new IllegalArgumentException(number + " is no 32-bit number");
        }
        return (int) number;
    }

    private static int count(String value) {
        long number = number(value);
        if (number < 1 || number > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(number + " is not 1 to " + Integer.MAX_VALUE);
        }
        return (int) number;
    }

    /**
     * As strtoll with base 0. What follows the digits is refused here and ignored by libpmemobj,
     * where 4M means 4.
     */
    private static long number(String value) {
        String text = value.strip();
        boolean octal = text.matches("[-+]?0[0-7]+");
        try {
            if (text.startsWith("#") || text.isEmpty()) {
                throw new NumberFormatException();
            }
            return octal ? Long.parseLong(text, 8) : Long.decode(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("\"" + value + "\" is no number", e);
        }
    }

    private static AllocationClassDescriptor descriptor(int id, String value) {
        String[] fields = value.split(",", -1);
        if (fields.length != 4) {
            throw new IllegalArgumentException(
                    "an allocation class is described by unit size,alignment,units,header type");
        }
        return new AllocationClassDescriptor(
                id, number(fields[0]), number(fields[1]), count(fields[2]), header(fields[3]));
    }

    private static HeaderType header(String value) {
        for (HeaderType type : HeaderType.values()) {
            if (type.name().toLowerCase(Locale.ROOT).equals(value)) {
                return type;
            }
        }
        throw new IllegalArgumentException("\"" + value + "\" is none of legacy, compact, none");
    }
}
