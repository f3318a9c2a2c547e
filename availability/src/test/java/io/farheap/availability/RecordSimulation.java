package io.farheap.availability;

import io.farheap.availability.RecordOutcome.Kind;
import io.farheap.availability.SimulatedWriter.Phase;
import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.MemoryStore;
import io.farheap.availability.coordinator.StoreFaults;
import io.farheap.availability.coordinator.StoreFaults.Fate;
import io.farheap.availability.coordinator.StoreStamp;
import io.farheap.availability.coordinator.StoreUnavailableException;
import io.farheap.base.FarheapException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * One history of three nodes, which write the record with the real code: random steps of random
 * nodes, one at a time, also between two requests to the store. There is no clock: each process may
 * stop for as long as others take steps. What surrounds the record (copies, commits, the steps of a
 * switch) is played.
 */
final class RecordSimulation {
    private static final PoolKeys KEYS = new PoolKeys("cluster", "pool");
    private static final List<String> NAMES = List.of("a", "b", "c");
    private static final int STEPS = 160;
    private static final int STEPS_TO_HEAL = 3_000;
    private static final int MOST_COMMITS = 4;

    /** What happens a limited number of times in a history. */
    enum Fault {
        TAKE_OVER,
        CHANGE,
        CRASH,
        STORE,
        OLD_BACKUP,
        LOST_NODE,
        RESTORED_STORE
    }

    private final Random random;
    private final Weakness weakness;
    private final Map<Fault, Integer> left = new EnumMap<>(Fault.class);
    private final MemoryStore store = new MemoryStore(Duration.ofDays(1));
    private final Map<String, SimulatedCopy> copies = new TreeMap<>();
    private final Map<String, SimulatedWriter> writers = new TreeMap<>();
    private final Map<String, Coordinator> clients = new TreeMap<>();
    private final Map<String, Stamps> stamps = new TreeMap<>();
    private final Set<String> gone = new TreeSet<>();

    /** Has the files of another time: no copy that anybody may count on. */
    private final Set<String> replaced = new TreeSet<>();

    private final Set<String> unasked = new TreeSet<>();
    private final Set<String> inRequest = new TreeSet<>();
    private final Map<String, SimulatedCopy> backups = new TreeMap<>();
    private final List<String> trace = new ArrayList<>();
    private final Set<Integer> acknowledged = new TreeSet<>();
    private final Set<Integer> openContent = new TreeSet<>();
    private final Coordinator judge = store.connect(StoreFaults.NONE);
    private MemoryStore.Backup storeBackup;
    private boolean storeWentBack;
    private boolean begun;
    private boolean healed;

    /** The set of the last switch: its copies have everything, whoever has taken over since. */
    private SortedSet<String> switchedTo;

    private long switchedNumber;
    private long openTerm;
    private long lastNumber = 1;
    private int lastCommit;
    private String violation;

    /** A step that could be taken now. */
    private record Step(String name, Runnable does) {}

    /** Kept through crashes. */
    private final class Stamps implements SeenStamps {
        private StoreStamp newest;

        @Override
        public Optional<StoreStamp> newest() {
            return weakness == Weakness.STORE_WENT_BACK
                    ? Optional.empty()
                    : Optional.ofNullable(newest);
        }

        @Override
        public void keep(StoreStamp stamp) {
            newest = stamp;
        }
    }

    /**
     * @param weakness null: all rules are kept
     */
    RecordSimulation(long seed, Weakness weakness) {
        this.random = new Random(seed);
        this.weakness = weakness;
        Set<Fault> faults = weakness == null ? Set.of(Fault.values()) : weakness.faults();
        for (Fault fault : Fault.values()) {
            left.put(fault, faults.contains(fault) ? random.nextInt(4) : 0);
        }
        left.put(Fault.LOST_NODE, Math.min(1, left.get(Fault.LOST_NODE)));
        // A store that went back is for a person: no history has it beside other rare faults.
        left.put(
                Fault.RESTORED_STORE,
                random.nextInt(3) == 0 ? Math.min(1, left.get(Fault.RESTORED_STORE)) : 0);
        begin();
    }

    /** The first node has made the pool, with two or three copies. */
    private void begin() {
        for (String name : NAMES) {
            copies.put(name, new SimulatedCopy());
            stamps.put(name, new Stamps());
            Coordinator client = store.connect(this::fate);
            clients.put(name, weakness == null ? client : Weakness.weaken(weakness, name, client));
        }
        TreeSet<String> set = new TreeSet<>(NAMES.subList(0, 2 + random.nextInt(2)));
        PoolRecord record = open("a");
        require(record.create(1, 0).kind() == Kind.RECORDED);
        require(record.record(set, 1).kind() == Kind.RECORDED);
        SimulatedWriter writer = new SimulatedWriter("a", record, Phase.OPEN, record.mine().get());
        writer.epoch = 1;
        writers.put("a", writer);
        openTerm = 1;
        for (String name : NAMES) {
            SimulatedCopy copy = copies.get(name);
            copy.term = 1;
            copy.whole = set.contains(name);
            copy.cur = set.contains(name) ? 1 : 0;
            copy.session = writer;
            // Each agent has asked for the term: who has seen no stamp can't tell an older store.
            require(open(name).look().isPresent());
        }
        begun = true;
        judge();
    }

    private static void require(boolean holds) {
        if (!holds) {
            throw new AssertionError();
        }
    }

    private Coordinator meanwhile(String node) {
        return new Meanwhile(clients.get(node), () -> othersGoOn(node));
    }

    private Fate fate() {
        if (!begun || healed || left.get(Fault.STORE) == 0 || random.nextInt(3) != 0) {
            return Fate.ANSWERED;
        }
        left.merge(Fault.STORE, -1, Integer::sum);
        return Fate.values()[random.nextInt(Fate.values().length)];
    }

    /** Between two requests of a node. */
    private void othersGoOn(String node) {
        if (!begun || inRequest.size() > 1 || violation != null) {
            return;
        }
        inRequest.add(node);
        try {
            while (violation == null && random.nextInt(3) == 0) {
                step();
            }
        } finally {
            inRequest.remove(node);
        }
    }

    // ---- the history

    /** What went wrong; null: nothing. */
    String run() {
        for (int i = 0; i < STEPS && violation == null; i++) {
            step();
        }
        if (violation == null && !storeWentBack) {
            heal();
        }
        return violation;
    }

    /** No further fault: the recorded term's admission must open, if there is a copy for it. */
    private void heal() {
        healed = true;
        if (switchedTo.stream().noneMatch(this::isThere)) {
            return;
        }
        left.replaceAll((fault, count) -> 0);
        left.put(Fault.TAKE_OVER, 20);
        for (int i = 0; i < STEPS_TO_HEAL && violation == null; i++) {
            long term = recorded().term();
            if (writers.values().stream()
                    .anyMatch(writer -> writer.term == term && writer.phase == Phase.OPEN)) {
                return;
            }
            left.put(Fault.CHANGE, 1);
            step();
        }
        if (violation == null) {
            violation = "admission opens nowhere again";
        }
    }

    List<String> trace() {
        return trace;
    }

    private void step() {
        List<Step> steps = new ArrayList<>();
        for (String node : NAMES) {
            if (!inRequest.contains(node) && !gone.contains(node)) {
                collect(node, steps);
            }
        }
        store(steps);
        if (steps.isEmpty()) {
            return;
        }
        Step step = steps.get(random.nextInt(steps.size()));
        trace.add(step.name());
        step.does().run();
        trace.add("      " + recorded() + " | " + copies + " | " + writers);
        judge();
    }

    private ClusterRecord recorded() {
        return ClusterRecordCodec.decode(
                KEYS.record(), judge.read(KEYS.record()).value().orElseThrow());
    }

    private void judge() {
        if (storeWentBack || violation != null) {
            return;
        }
        ClusterRecord record = recorded();
        if (record.number() != switchedNumber) {
            switchedNumber = record.number();
            switchedTo = record.set();
        }
        for (String node : record.set()) {
            if (isThere(node) && !copies.get(node).mayBecome(record.number())) {
                violation = node + ", a copy of the recorded set, could not take over";
            }
        }
    }

    private boolean isThere(String node) {
        return !gone.contains(node) && !replaced.contains(node);
    }

    private boolean has(Fault fault) {
        return left.get(fault) > 0;
    }

    private void use(Fault fault) {
        left.merge(fault, -1, Integer::sum);
    }

    private void store(List<Step> steps) {
        steps.add(new Step("a late request reaches the store", store::deliverLate));
        if (storeBackup == null && has(Fault.RESTORED_STORE)) {
            steps.add(new Step("the store is backed up", () -> storeBackup = store.backup()));
        }
        if (storeBackup != null && has(Fault.RESTORED_STORE)) {
            steps.add(
                    new Step(
                            "STORE RESTORED",
                            () -> {
                                use(Fault.RESTORED_STORE);
                                storeWentBack = true;
                                store.restore(storeBackup, true);
                            }));
        }
    }

    // ---- what a node may do

    private void collect(String node, List<Step> steps) {
        SimulatedWriter writer = writers.get(node);
        if (writer == null) {
            idle(node, steps);
        } else {
            write(node, writer, steps);
            steps.add(new Step(node + " hears of the record", () -> hear(node, writer)));
        }
        if (has(Fault.CRASH)) {
            steps.add(new Step(node + " CRASHES", () -> crash(node)));
        }
        if (has(Fault.LOST_NODE) && writer != null && writer.phase.compareTo(Phase.FENCED) <= 0) {
            steps.add(
                    new Step(
                            node + " IS LOST FOR GOOD",
                            () -> {
                                use(Fault.LOST_NODE);
                                crash(node);
                                gone.add(node);
                            }));
        }
    }

    private void idle(String node, List<Step> steps) {
        if (unasked.contains(node)) {
            steps.add(new Step(node + " asks for the term", () -> askForTerm(node)));
            return;
        }
        if (has(Fault.TAKE_OVER)) {
            steps.add(new Step(node + " stands", () -> stand(node)));
        }
        if (has(Fault.OLD_BACKUP)) {
            if (backups.containsKey(node) && copies.get(node).cur != backups.get(node).cur) {
                steps.add(
                        new Step(
                                node + " HAS ITS OLD FILES",
                                () -> {
                                    use(Fault.OLD_BACKUP);
                                    copies.get(node).restore(backups.get(node));
                                    replaced.add(node);
                                    unasked.add(node);
                                }));
            } else if (copies.get(node).whole) {
                SimulatedCopy backup = new SimulatedCopy();
                backup.restore(copies.get(node));
                steps.add(new Step(node + " is backed up", () -> backups.put(node, backup)));
            }
        }
    }

    private void crash(String node) {
        left.computeIfPresent(Fault.CRASH, (fault, count) -> Math.max(0, count - 1));
        SimulatedWriter writer = writers.remove(node);
        copies.get(node).session = null;
        copies.values().stream()
                .filter(copy -> writer != null && copy.session == writer)
                .forEach(copy -> copy.session = null);
        unasked.add(node);
    }

    private PoolRecord open(String node) {
        Coordinator through = meanwhile(node);
        if (weakness != Weakness.SETTLE_FIRST) {
            return new PoolRecord(through, KEYS, node, stamps.get(node), random);
        }
        return new PoolRecord(through, KEYS, node, stamps.get(node), random) {
            @Override
            void requireSettled() {
                // whatever became of the request before
            }
        };
    }

    private void askForTerm(String node) {
        try {
            long term = open(node).look().orElseThrow().term();
            copies.get(node).term = Math.max(copies.get(node).term, term);
            unasked.remove(node);
        } catch (StoreUnavailableException e) {
            trace.add("      no answer");
        } catch (FarheapException e) {
            trace.add("      " + e.getMessage());
        }
    }

    private void stand(String node) {
        use(Fault.TAKE_OVER);
        PoolRecord record = open(node);
        SimulatedCopy copy = copies.get(node);
        OwnCopy own = copy.own();
        if ((weakness == Weakness.ONLY_MEMBERS || weakness == Weakness.NUMBER_CHECK)
                && copy.whole) {
            own = new OwnCopy(true, recorded().number(), 0);
        }
        try {
            follow(node, record, record.takeOver(own));
        } catch (StoreUnavailableException e) {
            trace.add("      no answer");
        }
    }

    /** A take-over until it is settled: nothing else is done on this node. */
    private void follow(String node, PoolRecord record, RecordOutcome first) {
        RecordOutcome outcome = first;
        for (int tries = 0; outcome.kind() == Kind.UNSETTLED && tries < 4; tries++) {
            outcome = record.settle();
        }
        trace.add("      " + outcome.kind());
        if (outcome.kind() == Kind.RECORDED && !writers.containsKey(node)) {
            writers.put(node, new SimulatedWriter(node, record, Phase.NAMED, record.mine().get()));
        }
    }

    private void hear(String node, SimulatedWriter writer) {
        try {
            if (writer.record.look().orElseThrow().term() > writer.term) {
                end(node, writer);
            }
        } catch (FarheapException e) {
            trace.add("      no answer that counts");
        }
    }

    private void end(String node, SimulatedWriter writer) {
        writers.remove(node, writer);
    }

    // ---- a writer

    private void write(String node, SimulatedWriter writer, List<Step> steps) {
        switch (writer.phase) {
            case NAMED -> steps.add(new Step(node + " fences", () -> fence(node, writer)));
            case FENCED -> steps.add(new Step(node + " chooses", () -> choose(node, writer)));
            case PREPARING -> prepare(node, writer, steps);
            case UNSETTLED -> {
                if (weakness == Weakness.SETTLE_FIRST && has(Fault.CHANGE)) {
                    steps.add(new Step(node + " chooses again", () -> choose(node, writer)));
                }
                steps.add(
                        new Step(
                                node + " settles",
                                () -> followSwitch(node, writer, writer.record.settle())));
            }
            case RECORDED ->
                    steps.add(
                            new Step(node + " has the new number", () -> switchOver(node, writer)));
            case CONFIRMING -> confirm(node, writer, steps);
            case OPEN -> commit(node, writer, steps);
        }
        boolean again =
                writer.phase == Phase.OPEN
                        || writer.phase == Phase.PREPARING
                        || writer.phase == Phase.CONFIRMING;
        if (again && has(Fault.CHANGE)) {
            steps.add(
                    new Step(
                            node + " chooses others",
                            () -> {
                                use(Fault.CHANGE);
                                choose(node, writer);
                            }));
        }
    }

    private void fence(String node, SimulatedWriter writer) {
        SimulatedCopy copy = copies.get(node);
        copy.term = Math.max(copy.term, writer.term);
        copy.session = writer;
        if (copy.next != 0 && copy.next == writer.record.mine().get().number()) {
            copy.adoptNext();
        }
        copy.next = 0;
        writer.epoch = copy.cur;
        writer.posted.addAll(copy.tail);
        writer.committed = writer.posted.size();
        writer.phase = Phase.FENCED;
    }

    private void choose(String node, SimulatedWriter writer) {
        SortedSet<String> wanted = new TreeSet<>();
        wanted.add(node);
        NAMES.stream()
                .filter(name -> !gone.contains(name) && random.nextBoolean())
                .forEach(wanted::add);
        writer.wanted = wanted;
        writer.number = ++lastNumber;
        writer.prepared.clear();
        writer.prepared.add(node);
        writer.phase = Phase.PREPARING;
        if (weakness != Weakness.PREPARE_SELF) {
            copies.get(node).next = writer.number;
        }
    }

    private void prepare(String node, SimulatedWriter writer, List<Step> steps) {
        for (String member : writer.wanted) {
            SimulatedCopy copy = copies.get(member);
            boolean listens =
                    !writers.containsKey(member)
                            && !inRequest.contains(member)
                            && !unasked.contains(member)
                            && !gone.contains(member)
                            && copy.term <= writer.term;
            if (listens && !writer.prepared.contains(member)) {
                steps.add(
                        new Step(
                                node + " prepares " + member,
                                () -> prepareOne(node, writer, member, copy)));
            }
        }
        if (writer.prepared.containsAll(writer.wanted)) {
            steps.add(new Step(node + " records", () -> recordSwitch(node, writer)));
        }
    }

    private void prepareOne(
            String node, SimulatedWriter writer, String member, SimulatedCopy copy) {
        boolean known = copy.whole && copy.cur == writer.epoch || copy.next == writer.epoch;
        List<Integer> tail = writer.posted.subList(0, writer.committed);
        if (writer.set.contains(member) && known) {
            if (copy.cur != writer.epoch) {
                copy.adoptNext();
            }
            // Gets the records that it lacks, and drops those that were not committed.
            copy.tail.clear();
            copy.tail.addAll(tail);
        } else if (writer.set.contains(member)) {
            return;
        } else {
            ClusterRecord record = recorded();
            if (!storeWentBack
                    && record.set().contains(member)
                    && record.term() > writer.term
                    && copy.mayBecome(record.number())) {
                violation = node + ", deposed, overwrites " + member;
            }
            // Its content is complete, and it is nobody's copy until it is confirmed.
            copy.begin(0, copies.get(node).before);
            copy.tail.addAll(tail);
            copy.whole = false;
        }
        copy.term = Math.max(copy.term, writer.term);
        copy.session = writer;
        copy.next = writer.number;
        writer.prepared.add(member);
    }

    private void recordSwitch(String node, SimulatedWriter writer) {
        boolean shrinks = openTerm == writer.term && !writer.wanted.containsAll(writer.set);
        boolean opens = openTerm < writer.term;
        if (weakness == Weakness.RECORD_BEFORE_ACK && shrinks
                || weakness == Weakness.RECORD_BEFORE_OPEN && opens) {
            writer.phase = Phase.RECORDED;
            return;
        }
        try {
            followSwitch(node, writer, writer.record.record(writer.wanted, writer.number));
        } catch (StoreUnavailableException e) {
            trace.add("      no answer");
        }
    }

    private void followSwitch(String node, SimulatedWriter writer, RecordOutcome outcome) {
        trace.add("      " + outcome.kind());
        switch (outcome.kind()) {
            case RECORDED -> writer.phase = Phase.RECORDED;
            case UNSETTLED, STORE_WENT_BACK ->
                    writer.phase = writer.record.isSettled() ? Phase.PREPARING : Phase.UNSETTLED;
            default -> end(node, writer);
        }
    }

    private void switchOver(String node, SimulatedWriter writer) {
        List<Integer> tail = writer.posted.subList(0, writer.committed);
        SimulatedCopy copy = copies.get(node);
        copy.tail.clear();
        copy.tail.addAll(tail);
        copy.begin(writer.number, copy.content());
        writer.epoch = writer.number;
        writer.set = writer.wanted;
        writer.posted.clear();
        writer.committed = 0;
        writer.answered.clear();
        writer.confirmed.clear();
        writer.confirmed.add(node);
        writer.phase = Phase.CONFIRMING;
    }

    private void confirm(String node, SimulatedWriter writer, List<Step> steps) {
        for (String member : writer.wanted) {
            SimulatedCopy copy = copies.get(member);
            if (!writer.confirmed.contains(member)
                    && copy.session == writer
                    && copy.next == writer.number) {
                steps.add(
                        new Step(
                                node + " confirms " + member,
                                () -> {
                                    copy.adoptNext();
                                    writer.confirmed.add(member);
                                }));
            }
        }
        if (writer.confirmed.containsAll(writer.wanted)) {
            steps.add(new Step(node + " opens admission", () -> openAdmission(node, writer)));
        }
    }

    private void openAdmission(String node, SimulatedWriter writer) {
        writer.phase = Phase.OPEN;
        Set<Integer> content = copies.get(node).content();
        if (writer.term >= openTerm) {
            openTerm = writer.term;
            openContent.clear();
            openContent.addAll(content);
            if (!content.containsAll(acknowledged)) {
                violation =
                        "an acknowledged commit is missing behind " + node + "'s open admission";
            }
        }
    }

    private void commit(String node, SimulatedWriter writer, List<Step> steps) {
        if (lastCommit < MOST_COMMITS && writer.posted.size() == writer.committed) {
            steps.add(new Step(node + " sends a record", () -> writer.posted.add(++lastCommit)));
        }
        Collection<String> others = new ArrayList<>(writer.set);
        others.remove(node);
        for (String member : others) {
            SimulatedCopy copy = copies.get(member);
            if (copy.session == writer
                    && copy.cur == writer.epoch
                    && copy.next == 0
                    && copy.tail.size() < writer.posted.size()) {
                steps.add(
                        new Step(
                                member + " has a record of " + node,
                                () -> {
                                    copy.tail.add(writer.posted.get(copy.tail.size()));
                                    writer.answered.put(member, copy.tail.size());
                                }));
            }
        }
        boolean all =
                others.stream()
                        .allMatch(
                                member ->
                                        writer.answered.getOrDefault(member, 0) > writer.committed);
        if (all && writer.committed < writer.posted.size()) {
            steps.add(new Step(node + " acknowledges", () -> acknowledge(node, writer)));
        }
    }

    private void acknowledge(String node, SimulatedWriter writer) {
        int commit = writer.posted.get(writer.committed++);
        copies.get(node).tail.add(commit);
        acknowledged.add(commit);
        if (writer.term >= openTerm) {
            openContent.add(commit);
        }
        if (!openContent.contains(commit)) {
            violation = node + " acknowledges what the newest writer's pool lacks";
        }
    }
}
