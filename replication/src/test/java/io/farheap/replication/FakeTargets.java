package io.farheap.replication;

import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.control.ControlTransport;
import io.farheap.replication.control.Request;
import io.farheap.replication.session.AgentConnector;
import io.farheap.replication.stream.FakeReplica;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** The machines of a poolset's remote replicas, and what happens to agents on them. */
public final class FakeTargets implements AgentConnector {
    public final List<FakeReplica> replicas = new CopyOnWriteArrayList<>();
    public final List<FakeAgent> agents = new CopyOnWriteArrayList<>();
    public volatile Predicate<Request> dieBefore = request -> false;
    public volatile Predicate<Request> dieAfter = request -> false;
    public volatile boolean unreachable;

    /** Targets that can't be reached, by their index. */
    public final Set<Integer> gone = ConcurrentHashMap.newKeySet();

    /** Asked at each start, by the target's index: whether it is not reached this time. */
    public volatile IntPredicate cut = place -> false;

    /** Other names of targets, which lead to the one of that index. */
    public final Map<RemoteReplica, Integer> aliases = new ConcurrentHashMap<>();

    public volatile Supplier<Error> fault = () -> null;

    public FakeTargets(int count, long imageBytes) {
        for (int i = 0; i < count; i++) {
            replicas.add(new FakeReplica("r" + i + ".set", imageBytes));
        }
    }

    /** One more, which is in no poolset file yet. */
    public FakeReplica add(long imageBytes) {
        FakeReplica replica = new FakeReplica("r" + replicas.size() + ".set", imageBytes);
        replicas.add(replica);
        return replica;
    }

    public List<RemoteReplica> remotes() {
        return replicas.stream().map(replica -> replica.remote).toList();
    }

    public void noMoreFaults() {
        dieBefore = request -> false;
        dieAfter = request -> false;
        unreachable = false;
        gone.clear();
        cut = place -> false;
        fault = () -> null;
    }

    @Override
    public synchronized ControlTransport start(RemoteReplica replica, int index) {
        Error thrown = fault.get();
        if (thrown != null) {
            throw thrown;
        }
        int known = remotes().indexOf(replica); // whatever is its place in the poolset file
        int place = aliases.getOrDefault(replica, known < 0 ? index : known);
        if (unreachable || gone.contains(place) || cut.test(place)) {
            throw new io.farheap.base.FarheapException(
                    io.farheap.base.FarheapException.Category.REPLICA, "no route to " + replica);
        }
        FakeAgent agent =
                FakeAgent.start(
                        replicas.get(place),
                        request -> dieBefore.test(request),
                        request -> dieAfter.test(request));
        agents.add(agent);
        return agent.transport();
    }

    @Override
    public ControlTransport startTunnel(
            RemoteReplica replica, Path entrance, String host, int port) {
        throw new UnsupportedOperationException("no tunnel to a fake");
    }

    /** The target can't be reached any more, and what ran there is dead. */
    public synchronized void lose(int index) {
        gone.add(index);
        agents.stream()
                .filter(agent -> agent.replica() == replicas.get(index))
                .forEach(FakeAgent::die);
    }

    /** From now on every loss ends the epoch. */
    public void neverResume() {
        replicas.forEach(replica -> replica.resumable = false);
    }

    /** Every agent that runs is killed. */
    public synchronized void killAgents() {
        agents.forEach(FakeAgent::die);
        agents.clear();
    }
}
