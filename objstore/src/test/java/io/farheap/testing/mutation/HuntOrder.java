package io.farheap.testing.mutation;

import io.farheap.MutantHunt;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Which tests look for a mutant: all of these, those that know its place first. */
final class HuntOrder {
    private static final String LOGS = "io.farheap.ulog.LogCrashTest";
    private static final String CREATION = "io.farheap.TransactionCrashTest";
    private static final String MIRROR = "io.farheap.MirroredCrashTest";
    private static final String MEMORY = "io.farheap.MemoryOperationsTest";
    private static final String FILES = "io.farheap.pool.PoolFilesOpenTest";
    private static final String DEVICES = "io.farheap.pool.DeviceStateTest";
    private static final String HEAP_WALK = "io.farheap.heap.HeapWalkTest";
    private static final String OPTIONS = "io.farheap.PoolOptionsTest";

    /** Names of places, as regular expressions, and the tests to try first. */
    private static final Map<String, List<String>> FIRST = new LinkedHashMap<>();

    static {
        FIRST.put(
                "(PoolEngine.(flush|fence)|NonAtomicStore\\.|CommitPipeline.commitWrite)",
                List.of(MEMORY));
        FIRST.put("(PoolOpening|HeapMetadata|MirroredPersistence)\\.", List.of(MIRROR));
        FIRST.put(
                "PoolHeader\\.correctWord", List.of("io.farheap.layout.PoolHeaderCorrectionTest"));
        FIRST.put("PoolHeader\\.checksumMatchesWith", List.of("io.farheap.pool.PoolFeaturesTest"));
        FIRST.put("(PoolHeader|Descriptor)\\.checksumMatches", List.of(FILES));
        FIRST.put("ShutdownState\\.", List.of(DEVICES));
        FIRST.put("HeapHeader\\.", List.of(HEAP_WALK));
        FIRST.put("Descriptor\\.s[a-z]*[RH]", List.of("io.farheap.layout.DescriptorTest"));
        FIRST.put("(Descriptor|LaneLayout|HeapFormat)\\.", List.of(CREATION));
        FIRST.put("PoolEngine\\.storeStatistics", List.of(OPTIONS));
        FIRST.put(
                "(LaneRecovery.recoverUndo|LogChain.shrinkTo)",
                List.of("io.farheap.ulog.RecoveryDurabilityTest"));
        FIRST.put(
                "(LaneRecovery|Log[A-Z][a-z]*|RedoLog|UndoLog)\\.",
                List.of(
                        LOGS + "#everyCrashLeavesATransactionBoundary",
                        LOGS + "#soDoesEveryCrashOfARecovery",
                        LOGS + "#soDoesEveryCrashOfTheTransactionsAfterARecovery"));
    }

    /** Power loss wherever it can be, and damage. */
    private static final List<String> ALL =
            List.of(
                    MutantHunt.STATES,
                    LOGS,
                    CREATION,
                    "io.farheap.heap.HeapCrashTest",
                    "io.farheap.GrowthCrashTest",
                    MIRROR,
                    "io.farheap.DroppedStepTest",
                    MEMORY,
                    OPTIONS,
                    HEAP_WALK,
                    FILES,
                    DEVICES,
                    "io.farheap.pool.GoldenHeadersTest",
                    "io.farheap.DamagedPoolTest");

    private HuntOrder() {}

    /** Everything that any hunt may run. */
    static List<String> all() {
        Set<String> tests = new LinkedHashSet<>(ALL);
        FIRST.values().forEach(tests::addAll);
        return new ArrayList<>(tests);
    }

    static List<String> of(CallSite site) {
        Set<String> tests = new LinkedHashSet<>();
        FIRST.forEach(
                (place, first) -> {
                    if (site.name().matches(place + ".*")) {
                        tests.addAll(first);
                    }
                });
        tests.addAll(ALL);
        return new ArrayList<>(tests);
    }
}
