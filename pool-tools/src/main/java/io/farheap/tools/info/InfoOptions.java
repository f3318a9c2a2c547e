package io.farheap.tools.info;

import io.farheap.heap.HeapWalk.BlockType;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import picocli.CommandLine.Option;

/** What is to be shown; names and letters are pmempool's. */
final class InfoOptions {
    private static final long UNIT = 1024;
    private static final String UNITS = "KMGT";

    /** When there are colours. */
    enum Colours {
        AUTO,
        ALWAYS,
        NEVER
    }

    private enum Choice {
        YES,
        NO
    }

    @Option(
            names = {"-v", "--verbose"},
            description = "also the headers of all parts, alignments, the run id")
    private boolean[] verbose = {}; // pmempool takes it more than once

    @Option(
            names = {"-f", "--force"},
            paramLabel = "obj",
            description = "take the file for an object pool, whatever its header says")
    String force;

    @Option(
            names = {"-n", "--human"},
            description = "sizes with units, such as 8M")
    boolean human;

    @Option(
            names = {"-x", "--headers-hex"},
            description = "also the bytes of the headers")
    boolean hex;

    @Option(
            names = {"-d", "--data"},
            description = "also the bytes of each object; requires -O or -o")
    boolean data;

    @Option(
            names = {"-s", "--stats"},
            description = "statistics: objects by type, chunks, units and bytes by class")
    boolean statistics;

    @Option(
            names = {"-m", "--map"},
            description = "a picture of the heap: what each chunk is, and how full")
    boolean map;

    @Option(
            names = {"-r", "--range"},
            paramLabel = "RANGE",
            converter = NumberRanges.Converter.class,
            description = "which objects, counted from 0; requires -O")
    NumberRanges objectRange = NumberRanges.ALL;

    @Option(
            names = {"-k", "--bad-blocks"},
            paramLabel = "yes|no",
            description =
                    "yes: bytes of the part files that their medium can't give back, as far as the"
                            + " kernel knows; no, the default: not")
    private Choice badBlocks = Choice.NO;

    @Option(
            names = {"-l", "--lanes"},
            arity = "0..1",
            paramLabel = "RANGE",
            parameterConsumer = OptionalRanges.class,
            description = "lanes with their logs; all, or those of a range")
    NumberRanges lanes;

    @Option(
            names = {"-R", "--recovery"},
            description = "only lanes that need recovery; requires -l")
    boolean recovery;

    @Option(
            names = {"-o", "--root"},
            description = "the root object")
    boolean root;

    @Option(
            names = {"-O", "--objects", "--object-store"},
            description = "the objects")
    boolean objects;

    @Option(
            names = {"-t", "--types"},
            paramLabel = "RANGE",
            converter = NumberRanges.Converter.class,
            description = "only objects of these type numbers")
    NumberRanges types = NumberRanges.ALL;

    @Option(
            names = {"-E", "--no-empty"},
            description = "leave out zones without objects")
    boolean noEmpty;

    @Option(
            names = {"-A", "--alloc-header"},
            description = "what the allocator keeps of each object; requires -O")
    boolean allocationHeader;

    @Option(
            names = {"-a", "--oob-header"},
            description =
                    "what libpmemobj keeps of each object: type number and flags; requires -O")
    boolean objectHeader;

    @Option(
            names = {"-H", "--heap"},
            description = "the heap's header")
    boolean heap;

    @Option(
            names = {"-Z", "--zones"},
            arity = "0..1",
            paramLabel = "RANGE",
            parameterConsumer = OptionalRanges.class,
            description = "zones; with a range, -O and -C show only what is in these")
    NumberRanges zones;

    @Option(
            names = {"-C", "--chunks"},
            arity = "0..1",
            paramLabel = "RANGE",
            parameterConsumer = OptionalRanges.class,
            description = "blocks of chunks; with a range, -O shows only what is in these")
    NumberRanges chunks;

    @Option(
            names = {"-T", "--chunk-type"},
            paramLabel = "TYPE",
            split = ",",
            description = "only blocks of these types: ${COMPLETION-CANDIDATES}; requires -C")
    List<BlockType> chunkTypes = List.of(BlockType.values());

    @Option(
            names = {"-b", "--bitmap"},
            description = "the bitmap of each run; requires -C")
    boolean bitmap;

    @Option(
            names = {"-p", "--replica"},
            paramLabel = "NUMBER",
            description = "of which replica of the poolset; default: 0")
    int replica;

    @Option(
            names = "--color",
            paramLabel = "WHEN",
            description = "colours: ${COMPLETION-CANDIDATES}; auto, the default: on a terminal")
    Colours colours = Colours.AUTO;

    boolean isVerbose() {
        return verbose.length > 0;
    }

    boolean hasBadBlocks() {
        return badBlocks == Choice.YES;
    }

    boolean hasZone(int zone) {
        return zones == null || zones.contains(zone);
    }

    boolean hasChunk(int chunk) {
        return chunks == null || chunks.contains(chunk);
    }

    /** A size as it is to be shown. */
    String size(long bytes) {
        if (!human || bytes < UNIT) {
            return Long.toString(bytes);
        }
        double rest = bytes;
        int unit = -1;
        while (rest >= UNIT && unit < UNITS.length() - 1) {
            rest /= UNIT;
            unit++;
        }
        return new BigDecimal(rest).setScale(1, RoundingMode.HALF_EVEN)
                + UNITS.substring(unit, unit + 1);
    }

    /** What does not fit together, or null. */
    String mistake() {
        if (force != null && !force.equals("obj")) {
            return "-f: farheap knows pools of type obj only, not " + force;
        }
        if (recovery && lanes == null) {
            return "-R requires -l";
        }
        if (bitmap && chunks == null) {
            return "-b requires -C";
        }
        if (chunkTypes.size() < BlockType.values().length && chunks == null) {
            return "-T requires -C";
        }
        boolean ofObjects = objectRange != NumberRanges.ALL || allocationHeader || objectHeader;
        if (ofObjects && !objects) {
            return "-r, -A and -a require -O";
        }
        if (data && !objects && !root) {
            return "-d requires -O or -o";
        }
        return replica < 0 ? "-p: replicas count from 0" : null;
    }
}
