package io.farheap.availability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.availability.ClusterRecord.Apart;
import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.MemoryStore;
import io.farheap.availability.coordinator.Presence;
import io.farheap.availability.coordinator.StoreFaults;
import io.farheap.availability.coordinator.StoreFaults.Fate;
import io.farheap.availability.coordinator.StoreStamp;
import io.farheap.availability.coordinator.Swap;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.layout.FeatureFlags;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.session.ReplicaReport;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a person decides about a record, on node b, and what of it is refused. */
@Timeout(60)
class RecordRepairTest {
    private static final PoolKeys KEYS = new PoolKeys("cluster", "pool");
    private static final long OLD = 100;
    private static final long NEW = 300;
    private static final String A_UUID = "11111111-2222-3333-4444-555555555555";
    private static final PoolUuid POOL = PoolUuid.random();
    private static final PoolUuid OTHER = PoolUuid.random();
    private static final String NO_JOURNAL = "/srv/part0.journal is missing";
    private static final long REBASED = 8 + RebasedRecord.STRIDE;
    private static final Duration TTL = Duration.ofSeconds(10);

    private final MemoryStore memory = new MemoryStore(Duration.ofDays(1));
    private final Coordinator judge = memory.connect(StoreFaults.NONE);
    private final Map<String, Supplier<ReplicaReport>> others = new TreeMap<>();
    private final Own own = new Own();

    /** Node b's. */
    private static final class Own implements RepairedCopy {
        private SeenCopy copy;
        private final Stamps stamps = new Stamps();
        private String fenced = "";
        private int inUse;
        private int looks;
        private Runnable whenLooked = () -> {};
        private Runnable meanwhile = () -> {};

        @Override
        public SeenCopy look(String node) {
            return copy;
        }

        @Override
        public long heard() {
            looks++;
            whenLooked.run();
            return copy.term();
        }

        @Override
        public SeenStamps stamps() {
            return stamps;
        }

        @Override
        public void fence(String node, long term, long number) {
            meanwhile.run();
            if (inUse-- > 0) {
                throw FarheapException.environment("it is in use by process 7");
            }
            copy = copy.withKept(term, 0);
            fenced = node + " " + term + " " + number;
        }
    }

    private static final class Stamps implements SeenStamps {
        private StoreStamp newest;
        private long term;
        private long rebased;

        @Override
        public Optional<StoreStamp> newest() {
            return Optional.ofNullable(newest);
        }

        @Override
        public long term() {
            return term;
        }

        @Override
        public long rebased() {
            return rebased;
        }

        @Override
        public void keep(StoreStamp stamp, long lastRebased) {
            newest = stamp;
            rebased = lastRebased;
        }
    }

    private static ReplicaReport report(
            ReplicaState state, long cur, long next, long records, long term) {
        SlotReport slot =
                new SlotReport(state, cur, next, cur, records, 0, cur, false, false).inTerm(term);
        return new ReplicaReport(slot, Blob.EMPTY, 1 << 24, List.of(), "");
    }

    private static ReplicaReport insync(long cur, long records, long term) {
        return report(ReplicaState.INSYNC, cur, 0, records, term);
    }

    private static ReplicaReport nothing() {
        return new ReplicaReport(null, Blob.EMPTY, 1 << 24, List.of(), "");
    }

    private void there(String node, ReplicaReport report) {
        if (node.equals("b")) {
            own.copy = SeenCopy.of("b", report);
        } else {
            others.put(node, () -> report);
        }
    }

    private void away(String node) {
        others.put(
                node,
                () -> {
                    throw FarheapException.replica("no route to %s", node);
                });
    }

    private void record(ClusterRecord record) {
        long version = judge.read(KEYS.record()).version();
        byte[] value = ClusterRecordCodec.encode(record);
        assertThat(judge.compareAndSet(KEYS.record(), version, value).outcome())
                .isEqualTo(Swap.Outcome.APPLIED);
    }

    private static ClusterRecord of(long term, String writer, long number, String... set) {
        return new ClusterRecord(
                term, writer, new TreeSet<>(List.of(set)), number, 0, "0".repeat(32));
    }

    private ClusterRecord there() {
        byte[] value = judge.read(KEYS.record()).value().orElseThrow();
        return ClusterRecordCodec.decode(KEYS.record(), value);
    }

    private RecordRepair repair(StoreFaults faults) {
        Map<String, Supplier<ReplicaReport>> looks = new TreeMap<>();
        others.keySet().forEach(name -> looks.put(name, () -> others.get(name).get()));
        return new RecordRepair(
                memory.connect(faults),
                KEYS,
                "b",
                own,
                looks,
                new Random(faults.hashCode()),
                Duration.ofMillis(1));
    }

    private void force(String... lost) {
        try (RecordRepair repair = repair(StoreFaults.NONE)) {
            repair.carryOut(repair.force(Set.of(lost)));
        }
    }

    private void rebase(String... lost) {
        try (RecordRepair repair = repair(StoreFaults.NONE)) {
            repair.carryOut(repair.rebase(Set.of(lost)));
        }
    }

    /** Node a went on alone, and is lost; c was copied to when it was. */
    private void aIsLost() {
        record(of(7, "a", NEW, "a"));
        away("a");
        there("b", insync(OLD, 12, 6));
        there("c", report(ReplicaState.SYNCING, OLD, 0, 0, 7));
    }

    @Test
    void theCopyGoesOnAndTheLostOneIsSetApart() {
        aIsLost();
        try (RecordRepair repair = repair(StoreFaults.NONE)) {
            Repair plan = repair.force(Set.of("a"));
            assertThat(plan.isNeeded()).isTrue();
            assertThat(plan.found()).isEqualTo("term 7, writer a, set [a], number 300");
            assertThat(plan.copies().get("a")).isEqualTo("not reached: no route to a");
            assertThat(plan.copies().get("b")).contains("term 6", "number 100", "12 commits");
            assertThat(plan.copies().get("c")).contains("half a copy");
            assertThat(plan.losses())
                    .containsExactly(
                            "every commit that returned while the record named a without b, since"
                                    + " number 300: how many is not known");
            assertThat(there().term()).isEqualTo(7);
            repair.carryOut(plan);
        }
        ClusterRecord now = there();
        assertThat(now.term()).isEqualTo(8);
        assertThat(now.writer()).isEqualTo("b");
        assertThat(now.set()).containsExactly("b");
        assertThat(now.number()).isEqualTo(OLD);
        assertThat(now.apart()).isEqualTo(Map.of("a", new Apart(8, NEW)));
        assertThat(own.fenced).isEqualTo("b 8 100");

        PoolRecord b = new PoolRecord(judge, KEYS, "b", new Stamps(), new Random(1));
        assertThat(b.takeOver(own.copy.own()).kind()).isEqualTo(RecordOutcome.Kind.RECORDED);
        assertThat(there().apart()).isEqualTo(now.apart());
    }

    @Test
    void theTermIsAboveWhatAnyCopyHasHeard() {
        aIsLost();
        there("c", report(ReplicaState.SYNCING, OLD, 0, 0, 9));
        force("a");
        assertThat(there().term()).isEqualTo(10);
    }

    /** It was killed between the record and the fence. */
    @Test
    void aForceThatWasCutComesToItsEnd() {
        aIsLost();
        force("a");
        own.fenced = "";
        there("b", insync(OLD, 12, 6));
        try (RecordRepair repair = repair(StoreFaults.NONE)) {
            Repair again = repair.force(Set.of("a"));
            assertThat(again.isNeeded()).isFalse();
            repair.carryOut(again);
        }
        assertThat(there().term()).isEqualTo(8);
        assertThat(own.fenced).isEqualTo("b 8 100");
    }

    /** It may never come to its take-over. */
    @Test
    void aProgramThatOnlyWaitsDoesNotKeepTheCopyFromBeingFenced() {
        aIsLost();
        Presence waits = judge.announce(KEYS.waiting("b"), Lead.of("b").encode(), TTL).get();
        force("a");
        assertThat(there().set()).containsExactly("b");
        assertThat(own.fenced).isEqualTo("b 8 100");
        assertThat(own.looks).isGreaterThan(20);
        waits.close();
    }

    /** It ends who has the copy, and then the command would be ended in the middle. */
    @Test
    void aProgramThatTakesOverIsNotDisturbed() {
        aIsLost();
        Presence waits = judge.announce(KEYS.waiting("b"), Lead.of("b").encode(), TTL).get();
        own.whenLooked =
                () -> {
                    if (own.looks == 5) {
                        own.copy = own.copy.withKept(there().term() + 1, 0);
                    }
                };
        force("a");
        assertThat(own.fenced).isEmpty();
        assertThat(own.looks).isEqualTo(5);
        waits.close();
    }

    @Test
    void whoHasTheCopyForAMomentIsWaitedForOrTakesOver() {
        aIsLost();
        own.inUse = 3;
        force("a");
        assertThat(own.fenced).isEqualTo("b 8 100");

        aIsLost();
        own.fenced = "";
        own.inUse = Integer.MAX_VALUE;
        own.meanwhile = () -> own.copy = own.copy.withKept(there().term() + 1, 0);
        force("a");
        assertThat(own.fenced).isEmpty();
    }

    /** An agent of an old writer would overwrite the only copy that the record names. */
    @Test
    void aCopyThatIsNotFencedIsNoSuccess() {
        aIsLost();
        own.inUse = Integer.MAX_VALUE;
        assertThatThrownBy(() -> force("a"))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("heeds earlier writers still: it is in use by process 7")
                .hasMessageContaining("run the same command again");
        assertThat(there().term()).isEqualTo(8);
        own.inUse = 0;
        force("a");
        assertThat(own.fenced).isEqualTo("b 8 100");
    }

    /** As a pool that was made here, whose files' header has that uuid. */
    private static ReplicaReport files(PoolUuid poolset, String... faults) {
        return new ReplicaReport(null, header(poolset), 1 << 24, List.of(faults), "");
    }

    private static Blob header(PoolUuid poolset) {
        MemorySegment page = Arena.ofAuto().allocate(PoolHeader.SIZE, 8);
        PoolUuid own = PoolUuid.random();
        FeatureFlags features = FeatureFlags.forNewPool(false, true);
        new PoolHeader(page)
                .format(features, poolset, own, new PoolHeader.Links(own, own, own, own), 0);
        return Blob.of(page);
    }

    /** Its program is only not running: nothing is lost. */
    @Test
    void aPoolThatWasNeverAReplicaAndIsThereIsNotForcedPast() {
        aIsLost();
        there("a", files(POOL, NO_JOURNAL));
        assertRefused(Category.REPLICA, Set.of("a"), "a is there", "Run this on a");
    }

    /** Else nobody could ever go on. */
    @Test
    void aCopyOfTheSetWhoseFilesAreDamagedIsLostByAPersonsWord() {
        aIsLost();
        there("a", files(POOL, NO_JOURNAL, "/srv/part1 is missing"));
        assertRefused(Category.REPLICA, Set.of(), "are damaged", "--lost=a");
        try (RecordRepair repair = repair(StoreFaults.NONE)) {
            Repair plan = repair.force(Set.of("a"));
            assertThat(plan.losses()).hasSize(1);
            assertThat(plan.losses().get(0)).contains("stay as they are", "/srv/part0.journal");
            repair.carryOut(plan);
        }
        assertThat(there().apart()).containsKey("a");

        aIsLost();
        own.fenced = "";
        ReplicaReport damaged = files(POOL, NO_JOURNAL, "/srv/part1 is missing");
        there(
                "a",
                new ReplicaReport(null, damaged.header(), 1 << 24, damaged.faults(), "process 9"));
        assertRefused(Category.REPLICA, Set.of("a"), "in use by process 9");
    }

    @Test
    void copiesOfTwoPoolsAreNotComparedAndNothingIsDecided() {
        aIsLost();
        SlotReport slot = insync(OLD, 12, 6).slot();
        there("b", new ReplicaReport(slot, header(POOL), 1 << 24, List.of(), ""));
        there("c", new ReplicaReport(slot, header(OTHER), 1 << 24, List.of(), ""));
        assertRefused(Category.WRONG_USE, Set.of("a"), POOL.toString(), OTHER.toString());
        assertThatThrownBy(() -> rebase("a")).hasMessageContaining(OTHER.toString());
    }

    /** Its REPLICA line has another name for it, and there it may be alive. */
    @Test
    void whoIsNamedByTheStoreAndNotByThePoolsetFileIsNotForcedPast() {
        aIsLost();
        others.put("10.0.0.1", others.remove("a"));
        assertRefused(Category.WRONG_USE, Set.of("a"), "The store names a", "10.0.0.1, c");
        assertThatThrownBy(() -> rebase("a")).hasMessageContaining("The store names a");
    }

    @Test
    void whoWaitsIsNotLost() {
        aIsLost();
        there("c", insync(OLD + 50, 1, 7));
        Presence waits = judge.announce(KEYS.waiting("c"), Lead.of("c").encode(), TTL).get();
        assertRefused(Category.REPLICA, Set.of("a", "c"), "A program waits on c");
        waits.close();
    }

    /** An asynchronous copy of a later epoch, which no other copy that is left was part of. */
    @Test
    void aCopyThatLagsAndHasALaterNumberIsNamedToo() {
        aIsLost();
        SlotReport lags =
                new SlotReport(ReplicaState.INSYNC, NEW, 0, NEW, 4, 0, NEW, false, true).inTerm(7);
        there("c", new ReplicaReport(lags, Blob.EMPTY, 1 << 24, List.of(), ""));
        assertRefused(Category.REPLICA, Set.of("a"), "may lack the last", "--lost=c");
        force("a", "c");
        assertThat(there().apart().keySet()).containsExactly("a", "c");
    }

    /** Between the question and the answer. */
    @Test
    void whatComesWhileThePersonThinksIsLookedAtAgain() {
        aIsLost();
        try (RecordRepair repair = repair(StoreFaults.NONE)) {
            Repair plan = repair.force(Set.of("a"));
            Presence lead =
                    judge.announce(KEYS.lead(), new Lead("a", 7, "", 5).encode(), TTL).get();
            assertThatThrownBy(() -> repair.carryOut(plan))
                    .hasMessageContaining("a is announced as the writer");
            lead.close();
            there("a", insync(NEW, 5, 7));
            assertThatThrownBy(() -> repair.carryOut(plan)).hasMessageContaining("a answers");
            away("a");
            there("c", report(ReplicaState.SYNCING, OLD, 0, 0, 9));
            assertThatThrownBy(() -> repair.carryOut(plan))
                    .hasMessageContaining("have changed meanwhile");
            assertThat(there().term()).isEqualTo(7);
            assertThat(own.fenced).isEmpty();
        }
    }

    private void assertRefused(Category category, Set<String> lost, String... words) {
        ClusterRecord before = there();
        try (RecordRepair repair = repair(StoreFaults.NONE)) {
            assertThatThrownBy(() -> repair.force(lost))
                    .isInstanceOfSatisfying(
                            FarheapException.class,
                            e -> {
                                assertThat(e.getMessage()).contains(words);
                                assertThat(e.category()).isEqualTo(category);
                            });
        }
        assertThat(there()).isEqualTo(before);
        assertThat(own.fenced).isEmpty();
    }

    @Test
    void whatIsLostIsNamed() {
        aIsLost();
        assertRefused(Category.REPLICA, Set.of(), "no route to a", "--lost=a", "nothing was");
        assertRefused(Category.WRONG_USE, Set.of("a", "x"), "--lost=x", "which are a");
        assertRefused(Category.WRONG_USE, Set.of("a", "c"), "--lost=c");
    }

    @Test
    void aCopyOfTheSetThatAnswersIsNotForcedPast() {
        aIsLost();
        there("a", insync(NEW, 5, 7));
        assertRefused(Category.REPLICA, Set.of("a"), "a answers", "start the program there");
        there("a", report(ReplicaState.SYNCING, OLD, NEW, 5, 7));
        assertRefused(Category.REPLICA, Set.of("a"), "a answers");
    }

    @Test
    void aNodeOfTheSetWhoseFilesAreGoneIsLost() {
        aIsLost();
        there("a", nothing());
        force("a");
        assertThat(there().apart()).containsKey("a");
    }

    @Test
    void whoLivesIsNotForcedPast() {
        aIsLost();
        Presence lead = judge.announce(KEYS.lead(), new Lead("a", 7, "", 5).encode(), TTL).get();
        assertRefused(Category.REPLICA, Set.of("a"), "a is announced as the writer (process 5)");
        lead.close();
        Presence waits = judge.announce(KEYS.waiting("a"), Lead.of("a").encode(), TTL).get();
        assertRefused(Category.REPLICA, Set.of("a"), "A program waits on a");
        waits.close();
        SlotReport slot = insync(OLD, 12, 6).slot();
        there("b", new ReplicaReport(slot, Blob.EMPTY, 1 << 24, List.of(), "an agent of a"));
        assertRefused(Category.REPLICA, Set.of("a"), "in use by an agent of a");
    }

    @Test
    void aCopyThatHasMoreIsNamedToo() {
        aIsLost();
        there("c", insync(OLD + 50, 1, 7));
        assertRefused(Category.REPLICA, Set.of("a"), "--lost=c");
        there("c", insync(OLD, 13, 7));
        assertRefused(Category.REPLICA, Set.of("a"), "13 commits", "--lost=c");
        away("c");
        assertRefused(Category.REPLICA, Set.of("a"), "no route to c", "--lost=c");
        force("a", "c");
        assertThat(there().apart().keySet()).containsExactly("a", "c");
    }

    @Test
    void aCopyThatIsNotWholeDoesNotGoOn() {
        aIsLost();
        there("b", report(ReplicaState.SYNCING, OLD, 0, 0, 7));
        assertRefused(Category.REPLICA, Set.of("a"), "half a copy", "can't go on");
    }

    @Test
    void whoMayTakeOverByItselfNeedsNoForce() {
        record(of(7, "a", NEW, "a", "b"));
        away("a");
        there("b", insync(NEW, 12, 7));
        try (RecordRepair repair = repair(StoreFaults.NONE)) {
            Repair plan = repair.force(Set.of("a"));
            assertThat(plan.isNeeded()).isFalse();
            repair.carryOut(plan);
        }
        assertThat(there()).isEqualTo(of(7, "a", NEW, "a", "b"));
        assertThat(own.fenced).isEmpty();
    }

    @Test
    void aRecordThatChangesMeanwhileIsNotWrittenOver() {
        aIsLost();
        try (RecordRepair repair = repair(StoreFaults.NONE)) {
            Repair plan = repair.force(Set.of("a"));
            record(of(8, "a", NEW + 10, "a", "c"));
            assertThatThrownBy(() -> repair.carryOut(plan))
                    .hasMessageContaining("has changed meanwhile")
                    .hasMessageContaining("term 8, writer a");
        }
        assertThat(there().set()).containsExactly("a", "c");
        assertThat(own.fenced).isEmpty();
    }

    private interface Command {
        void run(RecordRepair repair);
    }

    /** Each request of a command in turn fares so, and it is run again until it succeeds. */
    private void assertEndsRight(Fate fate, Runnable begin, Command command, Runnable judged) {
        MemoryStore.Backup empty = memory.backup();
        for (int k = 0; k < 24; k++) {
            memory.restore(empty, false);
            own.fenced = "";
            own.stamps.newest = null;
            own.stamps.term = 0;
            own.stamps.rebased = 0;
            begin.run();
            int failing = k;
            int[] requests = new int[1];
            boolean done = false;
            for (int attempt = 0; attempt < 3 && !done; attempt++) {
                try (RecordRepair repair =
                        repair(() -> requests[0]++ == failing ? fate : Fate.ANSWERED)) {
                    command.run(repair);
                    done = true;
                } catch (FarheapException e) {
                    assertThat(e.getMessage()).contains("does not answer");
                }
            }
            assertThat(done).isTrue();
            judged.run();
            ClusterRecord then = there();
            while (memory.deliverLate()) {
                assertThat(there()).isEqualTo(then);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = "ANSWERED", mode = EnumSource.Mode.EXCLUDE)
    void whicheverRequestOfAForceFailsTheNextOneEndsRight(Fate fate) {
        assertEndsRight(
                fate,
                this::aIsLost,
                repair -> repair.carryOut(repair.force(Set.of("a"))),
                () -> {
                    assertThat(there().term()).isEqualTo(8);
                    assertThat(there().set()).containsExactly("b");
                    assertThat(there().apart()).isEqualTo(Map.of("a", new Apart(8, NEW)));
                    assertThat(own.fenced).isEqualTo("b 8 100");
                });
    }

    /** The store knows a set that has long been another one. */
    private void theStoreIsOld() {
        record(of(3, "c", OLD, "b", "c"));
        own.stamps.keep(new StoreStamp("memory-0", 1000), 0);
        there("a", report(ReplicaState.PROMOTED, NEW, 0, 4, 7));
        there("b", insync(NEW, 9, 7));
        there("c", insync(OLD, 77, 3));
    }

    @Test
    void aStoreThatWentBackGetsTheRecordThatTheCopiesTellOf() {
        theStoreIsOld();
        PoolRecord b = new PoolRecord(judge, KEYS, "b", own.stamps, new Random(1));
        assertThat(b.takeOver(own.copy.own()).kind()).isEqualTo(RecordOutcome.Kind.STORE_WENT_BACK);
        assertRefused(Category.BAD_DATA, Set.of("c"), "farheap ha rebase");
        rebase();

        ClusterRecord now = there();
        assertThat(now.set()).containsExactly("a", "b");
        assertThat(now.number()).isEqualTo(NEW);
        assertThat(now.term()).isEqualTo(REBASED);
        assertThat(now.rebased()).isEqualTo(REBASED);
        assertThat(now.apart()).isEqualTo(Map.of("c", new Apart(REBASED, OLD)));
        assertThat(own.fenced).as("others of the set fence it").isEmpty();
        assertThat(b.takeOver(own.copy.own()).kind()).isEqualTo(RecordOutcome.Kind.RECORDED);
        assertThat(own.stamps.rebased()).isEqualTo(REBASED);
        assertThat(own.stamps.newest().orElseThrow().revision()).isLessThan(1000);
    }

    /** Who has counted it once counts no older one again. */
    @Test
    void theSameBackupOnceMoreIsAnOlderStoreAgain() {
        theStoreIsOld();
        MemoryStore.Backup old = memory.backup();
        rebase();
        MemoryStore.Backup rebased = memory.backup();
        PoolRecord b = new PoolRecord(judge, KEYS, "b", own.stamps, new Random(1));
        assertThat(b.look()).isPresent();
        record(there().takenOver("a", "1".repeat(32)));
        assertThat(b.look()).isPresent();

        memory.restore(old, false);
        assertThatThrownBy(b::look).hasMessageContaining("it was restored");
        memory.restore(rebased, false);
        assertThatThrownBy(b::look).hasMessageContaining("it was restored");
        memory.restore(rebased, true);
        assertThatThrownBy(b::look).hasMessageContaining("it was restored");
    }

    @Test
    void anEmptyStoreGetsARecord() {
        there("a", report(ReplicaState.PROMOTED, NEW, 0, 4, 7));
        there("b", insync(NEW, 9, 7));
        rebase();
        assertThat(there().set()).containsExactly("a", "b");
        assertThat(there().term()).isEqualTo(REBASED);
        assertThat(there().writer()).isEqualTo("b");
    }

    @Test
    void whatIsNotReachedIsNamedAndSetApart() {
        theStoreIsOld();
        away("a");
        assertThatThrownBy(this::rebase).hasMessageContaining("--lost=a");
        rebase("a");
        assertThat(there().set()).containsExactly("b");
        assertThat(there().apart())
                .containsOnly(
                        Map.entry("a", new Apart(REBASED, OLD)),
                        Map.entry("c", new Apart(REBASED, OLD)));
        assertThat(own.fenced).isEqualTo("b " + REBASED + " " + NEW);
    }

    /** A lower number may have commits that the later one lacks: histories branch. */
    @Test
    void whatIsLeftBehindIsToldAndNotOverwritten() {
        theStoreIsOld();
        try (RecordRepair repair = repair(StoreFaults.NONE)) {
            Repair plan = repair.rebase(Set.of());
            assertThat(plan.losses()).hasSize(1);
            assertThat(plan.losses().get(0)).contains("what only c has", "77", "is set apart");
        }
    }

    /** A writer that nobody reaches has had terms that no copy here has heard of. */
    @Test
    void aRebasesTermIsAboveWhatALostWriterMayHaveComeTo() {
        theStoreIsOld();
        own.stamps.term = 12;
        rebase();
        assertThat(there().term()).isEqualTo(13 + RebasedRecord.STRIDE);

        theStoreIsOld();
        own.stamps.rebased = 5_000_000;
        rebase();
        assertThat(there().term()).isEqualTo(5_000_001 + RebasedRecord.STRIDE);
    }

    /** By an order that the store had forgotten: the copy joined again long ago. */
    @Test
    void aCopyThatAnOldRecordHasApartCountsIfAWriterHasGreetedItSince() {
        theStoreIsOld();
        TreeMap<String, Apart> apart = new TreeMap<>(Map.of("c", new Apart(3, OLD)));
        TreeSet<String> set = new TreeSet<>(List.of("b"));
        record(new ClusterRecord(3, "b", set, OLD, 0, "0".repeat(32), apart, 0));
        there("c", insync(NEW + 20, 1, 7));
        rebase();
        assertThat(there().set()).containsExactly("c");
        assertThat(there().number()).isEqualTo(NEW + 20);
        assertThat(there().apart().keySet()).containsExactly("a", "b");
    }

    @Test
    void aCopyThatIsSetApartAndMayHaveMoreThanWasKnownIsNamed() {
        theStoreIsOld();
        TreeMap<String, Apart> apart = new TreeMap<>(Map.of("c", new Apart(3, OLD)));
        TreeSet<String> set = new TreeSet<>(List.of("b"));
        record(new ClusterRecord(3, "b", set, OLD, 0, "0".repeat(32), apart, 0));
        there("c", insync(OLD, 77, 2));
        try (RecordRepair repair = repair(StoreFaults.NONE)) {
            assertThat(repair.rebase(Set.of()).losses()).isEmpty();
        }
        there("c", insync(OLD + 10, 77, 2));
        assertThatThrownBy(this::rebase).hasMessageContaining("--lost=c");
        away("c");
        assertThatThrownBy(this::rebase).hasMessageContaining("--lost=c");
        try (RecordRepair repair = repair(StoreFaults.NONE)) {
            Repair plan = repair.rebase(Set.of("c"));
            assertThat(plan.losses()).containsExactly("what c has and none of these has");
            repair.carryOut(plan);
        }
        assertThat(there().apart()).containsExactly(Map.entry("c", new Apart(REBASED, OLD)));
    }

    /** Else it would be a force that no guard of a force is asked for. */
    @Test
    void aStoreThatHasNotGoneBackIsNotRebasedWhileItsSetMayGoOn() {
        record(of(7, "a", NEW, "a", "b"));
        away("a");
        there("b", insync(NEW, 9, 7));
        assertThatThrownBy(() -> rebase("a"))
                .hasMessageContaining("has not gone back")
                .hasMessageContaining("the copy of b may go on");
        there("b", insync(OLD, 9, 6));
        Presence lead = judge.announce(KEYS.lead(), new Lead("a", 7, "", 5).encode(), TTL).get();
        assertThatThrownBy(() -> rebase("a")).hasMessageContaining("a is announced as the writer");
        there("a", report(ReplicaState.PROMOTED, NEW + 10, 0, 4, 7));
        assertThatThrownBy(this::rebase).hasMessageContaining("a (process 5) writes");
        lead.close();
        assertThat(there()).isEqualTo(of(7, "a", NEW, "a", "b"));
    }

    @Test
    void whoIsThereIsNotLostToARebase() {
        theStoreIsOld();
        there("a", files(POOL, NO_JOURNAL));
        assertThatThrownBy(() -> rebase("a")).hasMessageContaining("Run this on a");
        away("a");
        Presence waits = judge.announce(KEYS.waiting("a"), Lead.of("a").encode(), TTL).get();
        assertThatThrownBy(() -> rebase("a")).hasMessageContaining("A program waits on a");
        waits.close();
        rebase("a");
        assertThat(there().apart()).containsKey("a");
    }

    /** It has everything, and nobody commits before each copy of the set has the number. */
    @Test
    void whatACopyIsPreparedForDoesNotCountByItself() {
        theStoreIsOld();
        there("c", report(ReplicaState.INSYNC, OLD, NEW + 50, 77, 7));
        rebase();
        assertThat(there().number()).isEqualTo(NEW);

        theStoreIsOld();
        own.stamps.keep(new StoreStamp("memory-0", 2000), REBASED);
        there("c", report(ReplicaState.SYNCING, OLD, NEW, 0, 7));
        rebase();
        assertThat(there().set()).containsExactly("a", "b", "c");
    }

    @Test
    void aCopyThatWasSetApartStaysSo() {
        theStoreIsOld();
        TreeMap<String, Apart> apart = new TreeMap<>(Map.of("a", new Apart(3, NEW + 99)));
        TreeSet<String> set = new TreeSet<>(List.of("b", "c"));
        record(new ClusterRecord(3, "c", set, OLD, 0, "0".repeat(32), apart, 0));
        there("a", report(ReplicaState.PROMOTED, NEW + 99, 0, 4, 2));
        rebase();
        assertThat(there().set()).containsExactly("b");
        assertThat(there().number()).isEqualTo(NEW);
        apart.put("c", new Apart(REBASED, OLD));
        assertThat(there().apart()).isEqualTo(apart);
    }

    @Test
    void aRecordThatStandsIsNotWrittenAnew() {
        theStoreIsOld();
        rebase();
        ClusterRecord first = there();
        rebase();
        assertThat(there()).isEqualTo(first);
    }

    @Test
    void withoutAWholeCopyNothingIsRecorded() {
        there("a", nothing());
        there("b", report(ReplicaState.SYNCING, OLD, 0, 0, 7));
        assertThatThrownBy(this::rebase)
                .hasMessageContaining("No copy that is reached is whole")
                .hasMessageContaining("half a copy");
        assertThat(judge.read(KEYS.record()).version()).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = "ANSWERED", mode = EnumSource.Mode.EXCLUDE)
    void whicheverRequestOfARebaseFailsTheNextOneEndsRight(Fate fate) {
        assertEndsRight(
                fate,
                this::theStoreIsOld,
                repair -> repair.carryOut(repair.rebase(Set.of())),
                () -> {
                    assertThat(there().term()).isEqualTo(REBASED);
                    assertThat(there().set()).containsExactly("a", "b");
                    assertThat(there().rebased()).isEqualTo(REBASED);
                });
    }

    @Test
    void aCopyThatWasSetApartIsGivenUpByItsOwnNode() {
        TreeMap<String, Apart> apart = new TreeMap<>(Map.of("b", new Apart(6, OLD)));
        TreeSet<String> set = new TreeSet<>(List.of("a"));
        record(new ClusterRecord(7, "a", set, NEW, 0, "0".repeat(32), apart, 0));
        there("b", insync(OLD, 12, 5));
        PoolRecord a = new PoolRecord(judge, KEYS, "a", new Stamps(), new Random(1));
        assertThat(a.isGivenUp("b", new Apart(6, OLD))).isFalse();
        try (RecordRepair repair = repair(StoreFaults.NONE)) {
            DiscardedCopy copy = repair.apart();
            assertThat(copy.holds()).contains("12 commits");
            DiscardedCopy named = named(copy, A_UUID);
            assertThatThrownBy(() -> repair.discard(named, ""))
                    .hasMessageContaining("give --discard=" + A_UUID);
            repair.discard(named, A_UUID);
            repair.discard(named, A_UUID);
        }
        assertThat(a.isGivenUp("b", new Apart(6, OLD))).isTrue();
        assertThat(a.isGivenUp("b", new Apart(9, OLD))).isFalse();

        record(of(8, "a", NEW, "a", "b"));
        try (RecordRepair repair = repair(StoreFaults.NONE)) {
            assertThatThrownBy(repair::apart).hasMessageContaining("is not set apart");
        }
    }

    private static DiscardedCopy named(DiscardedCopy copy, String uuid) {
        return new DiscardedCopy(
                copy.node(), copy.holds(), copy.nothing(), uuid, copy.holder(), copy.term());
    }

    /** It may have everything, on a file system that is not mounted or by a device that fails. */
    @Test
    void whatCanNotBeReadIsNotGivenUpByLeavingItsNameAway() {
        TreeMap<String, Apart> apart = new TreeMap<>(Map.of("b", new Apart(6, OLD)));
        TreeSet<String> set = new TreeSet<>(List.of("a"));
        record(new ClusterRecord(7, "a", set, NEW, 0, "0".repeat(32), apart, 0));
        away("a");
        there("b", new ReplicaReport(null, Blob.EMPTY, 1 << 24, List.of("it can't be read"), ""));
        try (RecordRepair repair = repair(StoreFaults.NONE)) {
            DiscardedCopy copy = repair.apart();
            assertThatThrownBy(() -> repair.discard(copy, ""))
                    .hasMessageContaining("Mount or mend it, or move its files");
            assertThat(judge.read(KEYS.discard("b")).value()).isEmpty();

            there("b", nothing());
            DiscardedCopy gone = repair.apart();
            assertThatThrownBy(() -> repair.discard(gone, A_UUID))
                    .hasMessageContaining("leave --discard away");
            repair.discard(gone, "");
            assertThat(judge.read(KEYS.discard("b")).value()).isPresent();
        }
    }
}
