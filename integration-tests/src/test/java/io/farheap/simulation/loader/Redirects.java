package io.farheap.simulation.loader;

import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Which calls of the product's classes go somewhere else in a simulation: those that read a clock,
 * wait for one or make a thread, and those that open files or sockets. Static methods take their
 * place, the object first.
 */
final class Redirects {
    private static final String TIME = "io.farheap.simulation.engine.SimTime";
    private static final String THREADS = "io.farheap.simulation.engine.SimThreads";
    private static final String MONITOR = "io.farheap.simulation.engine.SimMonitor";
    private static final String FILES = "io.farheap.agent.replica.SimulatedFiles";
    private static final String CHOICE = "io.farheap.agent.data.SimulatedChoice";
    private static final String NODES = "io.farheap.availability.SimulatedNode";
    private static final String WIRE = "io.farheap.availability.etcd.SimulatedWire";
    private static final String JSON = "io.farheap.simulation.cell.CellJson";
    private static final String COPIES = "io.farheap.simulation.cell.CellCopies";
    private static final String ATTACH =
            "io/farheap/replication/RemoteReplication.attach(Lio/farheap/spi/ReplicatedPool;"
                    + "Lio/farheap/replication/config/AttachOptions;"
                    + "Lio/farheap/replication/config/ReplicationSettings;"
                    + "Lio/farheap/replication/session/AgentConnector;"
                    + "Lio/farheap/replication/epoch/SwitchRecorder;)";
    private static final String BUILDER = "Ljava/lang/Thread$Builder$OfPlatform;";
    private static final String OUR_BUILDER = "Lio/farheap/simulation/engine/SimThreads$Builder;";

    /** Where a call goes. */
    record Target(ClassDesc owner, String name) {}

    private final Map<String, Target> targets = new HashMap<>();

    Redirects() {
        clocks();
        threads();
        files();
        nodes();
        etcd();
    }

    /** Where copies are played, and with them all that reaches one. */
    static Redirects ofCells() {
        Redirects redirects = new Redirects();
        redirects.copies();
        return redirects;
    }

    private void clocks() {
        to(TIME, "nanoTime", "java/lang/System.nanoTime()");
        to(TIME, "currentTimeMillis", "java/lang/System.currentTimeMillis()");
        to(TIME, "instant", "java/time/Instant.now()");
        to(TIME, "sleep", "java/lang/Thread.sleep(J)");
        to(TIME, "sleep", "java/lang/Thread.sleep(Ljava/time/Duration;)");
        to(TIME, "sleep", "java/util/concurrent/TimeUnit.sleep(J)");
        to(TIME, "spin", "java/lang/Thread.onSpinWait()");
        to(TIME, "spin", "java/lang/Thread.yield()");
        to(TIME, "parkNanos", "java/util/concurrent/locks/LockSupport.parkNanos(J)");
        to(
                TIME,
                "parkNanos",
                "java/util/concurrent/locks/LockSupport.parkNanos(Ljava/lang/Object;J)");
        String unit = "JLjava/util/concurrent/TimeUnit;)";
        to(TIME, "awaitNanos", "java/util/concurrent/locks/Condition.awaitNanos(J)");
        to(TIME, "poll", "java/util/concurrent/BlockingQueue.poll(" + unit);
        to(TIME, "tryLock", "java/util/concurrent/locks/Lock.tryLock(" + unit);
        to(TIME, "tryLock", "java/util/concurrent/locks/ReentrantLock.tryLock(" + unit);
        to(TIME, "get", "java/util/concurrent/Future.get(" + unit);
        to(TIME, "await", "java/util/concurrent/CountDownLatch.await(" + unit);
        to(MONITOR, "await", "java/lang/Object.wait()");
        to(MONITOR, "await", "java/lang/Object.wait(J)");
        to(MONITOR, "wakeOne", "java/lang/Object.notify()");
        to(MONITOR, "wakeAll", "java/lang/Object.notifyAll()");
    }

    private void threads() {
        to(THREADS, "ofPlatform", "java/lang/Thread.ofPlatform()");
        for (String method :
                new String[] {
                    "daemon()",
                    "name(Ljava/lang/String;)",
                    "unstarted(Ljava/lang/Runnable;)",
                    "start(Ljava/lang/Runnable;)",
                    "factory()"
                }) {
            String name = method.substring(0, method.indexOf('('));
            to(THREADS, name, "java/lang/Thread$Builder$OfPlatform." + method);
        }
        to(THREADS, "threadId", "java/lang/Thread.threadId()");
        to(THREADS, "join", "java/lang/Thread.join(Ljava/time/Duration;)");
        to(THREADS, "join", "java/lang/Thread.join(J)");
        to(THREADS, "addShutdownHook", "java/lang/Runtime.addShutdownHook(Ljava/lang/Thread;)");
        to(
                THREADS,
                "removeShutdownHook",
                "java/lang/Runtime.removeShutdownHook(Ljava/lang/Thread;)");
    }

    private void files() {
        String agent = "io/farheap/agent/";
        String path = "Ljava/nio/file/Path;";
        String paths = "Lio/farheap/agent/replica/ReplicaPaths;";
        String blob = "Lio/farheap/replication/control/Blob;";
        to(
                FILES,
                "acquire",
                agent
                        + "lock/ReplicaLock.acquire("
                        + path
                        + "Lio/farheap/agent/lock/LockRequest;Ljava/time/Duration;)");
        to(FILES, "holder", agent + "lock/ReplicaLock.holder(" + path + ")");
        to(FILES, "removeUnless", agent + "lock/ReplicaLock.removeUnless(" + path + ")");
        to(FILES, "close", agent + "lock/ReplicaLock.close()");
        to(FILES, "open", agent + "replica/OpenReplica.open(" + paths + ")");
        to(FILES, "create", agent + "replica/OpenReplica.create(" + paths + blob + "JIJ)");
        to(FILES, "close", agent + "replica/OpenReplica.close()");
        to(FILES, "header", agent + "replica/OpenReplica.header()");
        to(FILES, "imageBytes", agent + "replica/OpenReplica.imageBytes()");
        to(FILES, "poolsetUuid", agent + "replica/OpenReplica.poolsetUuid()");
        to(FILES, "journalDomain", agent + "replica/OpenReplica.journalDomain()");
        to(
                CHOICE,
                "choose",
                agent
                        + "data/FabricChoice.of(Lio/farheap/agent/config/AgentConfiguration;"
                        + "Ljava/util/List;Z"
                        + "Ljava/net/InetAddress;Lio/farheap/agent/data/TargetMachine;)");
        to(
                FILES,
                "verbs",
                agent + "data/TargetMachine.verbs(Lio/farheap/replication/fabric/WaitStrategy;)");
        to(FILES, "holdsNothing", agent + "replica/ReplicaInspection.holdsNothing(" + paths + ")");
        to(FILES, "remove", agent + "replica/ReplicaRemoval.remove(Z)");
        to(FILES, "clear", agent + "replica/ReplicaRemoval.clear(Lio/farheap/layout/PoolUuid;)");
        to(
                FILES,
                "listen",
                "io/farheap/replication/fabric/tcp/TcpFabric.listen(Ljava/net/InetAddress;I[B"
                        + "Ljava/lang/foreign/MemorySegment;)");
        to(THREADS, "pid", "java/lang/ProcessHandle.pid()");
        to(THREADS, "processOf", "java/lang/ProcessHandle.of(J)");
        to(FILES, "secret", "java/security/SecureRandom.nextBytes([B)");
        to(FILES, "hostName", "io/farheap/replication/control/HostName.here()");
        to(
                FILES,
                "fresh",
                "io/farheap/replication/session/RunNumbers.fresh(JLjava/util/random/RandomGenerator;)");
        to(FILES, "logger", "org/slf4j/LoggerFactory.getLogger(Ljava/lang/Class;)");
    }

    /** What the programs of nodes find, and what an agent finds of their copies. */
    private void nodes() {
        String agent = "io/farheap/agent/";
        String place = "(Lio/farheap/agent/journal/JournalPlace;)";
        to(FILES, "exists", agent + "journal/JournalPlace.exists()");
        to(FILES, "slotOf", agent + "replica/ReplicaInspection.slotOf" + place);
        to(FILES, "isUnfinished", agent + "replica/ReplicaInspection.isUnfinished" + place);
        to(FILES, "journalUuid", agent + "replica/ReplicaInspection.journalUuid" + place);
        to(
                FILES,
                "inspect",
                agent + "replica/ReplicaInspection.of(Lio/farheap/agent/replica/ReplicaPaths;Z)");
        to(
                FILES,
                "recoverFiles",
                agent
                        + "replica/FormerWriter.recoverFiles(Lio/farheap/agent/replica/ReplicaPaths;)");
        to(FILES, "recordedTerms", agent + "config/AskedStore.service()");
        to(FILES, "nextBytes", "java/util/random/RandomGenerator.nextBytes([B)");
        to(FILES, "nextInt", "java/util/random/RandomGenerator.nextInt(I)");
        to(NODES, "connect", "io/farheap/availability/StoreAddress.connect()");
        to(
                NODES,
                "write",
                "io/farheap/availability/TermFile.write(Lio/farheap/replication/journal/KeptTerm;)");
        to(
                NODES,
                "begin",
                "io/farheap/availability/TermFile.begin(Ljava/nio/file/Path;"
                        + "Lio/farheap/availability/coordinator/StoreStamp;)");
        to(NODES, "read", "io/farheap/replication/journal/KeptTerm.read(Ljava/nio/file/Path;)");
        String settings = "io/farheap/replication/config/ReplicationSettings.";
        to(NODES, "settings", settings + "fromEnvironment()");
        to(NODES, "settings", settings + "of(Ljava/nio/file/Path;Ljava/util/Map;)");
        to("io.farheap.simulation.agent.SimulatedAttachment", "attachTo", ATTACH);
    }

    /** The HTTP below etcd's client. */
    private void etcd() {
        String transport = "io/farheap/availability/etcd/EtcdTransport.";
        String request =
                "(Ljava/net/URI;Ljava/lang/String;"
                        + "Lcom/fasterxml/jackson/databind/node/ObjectNode;Ljava/util/Optional;";
        to(WIRE, "post", transport + "post" + request + "Ljava/time/Duration;)");
        to(
                WIRE,
                "send",
                transport + "send" + request + "Ljava/net/http/HttpResponse$BodyHandler;)");
        to(
                WIRE,
                "lines",
                "java/net/http/HttpResponse$BodyHandlers.fromLineSubscriber("
                        + "Ljava/util/concurrent/Flow$Subscriber;)");
        to(WIRE, "client", "java/net/http/HttpClient$Builder.build()");
        to(WIRE, "close", "java/net/http/HttpClient.shutdownNow()");
    }

    private void copies() {
        String promotion = "io/farheap/agent/Promotion.";
        to(JSON, "text", "com/fasterxml/jackson/databind/node/ObjectNode.toString()");
        to(JSON, "mapper", "com/fasterxml/jackson/databind/json/JsonMapper$Builder.build()");
        to(COPIES, "of", promotion + "of(Ljava/nio/file/Path;)");
        to(COPIES, "hasJournal", promotion + "hasJournal()");
        to(COPIES, "firstPart", promotion + "firstPart()");
        to(COPIES, "look", promotion + "look()");
        to(COPIES, "takeOver", promotion + "takeOver(Ljava/lang/String;JJJ)");
        to(COPIES, "replayedTail", promotion + "replayedTail(Ljava/lang/String;)");
        var unused = targets.remove(ATTACH);
        to(COPIES, "attachTo", ATTACH);
    }

    private void to(String owner, String name, String call) {
        Target before = targets.put(call, new Target(ClassDesc.of(owner), name));
        if (before != null) {
            throw new IllegalStateException(call + " twice");
        }
    }

    private static String key(String owner, String name, MethodTypeDesc type) {
        String text = type.descriptorString();
        return owner + "." + name + text.substring(0, text.indexOf(')') + 1);
    }

    /** All calls that go elsewhere: internal name of the class, method, parameters. */
    Set<String> calls() {
        return targets.keySet();
    }

    /** Where the call goes, or null where it stays. */
    Target of(InvokeInstruction call) {
        return targets.get(
                key(call.owner().asInternalName(), call.name().stringValue(), call.typeSymbol()));
    }

    /** Whether a method reference to this would get past the redirection. */
    boolean isRedirected(String owner, String name, MethodTypeDesc type) {
        return targets.containsKey(key(owner, name, type));
    }

    /** The static replacement's type. */
    static MethodTypeDesc typeOf(InvokeInstruction call, boolean isStatic) {
        MethodTypeDesc type = call.typeSymbol();
        if (!isStatic) {
            type = type.insertParameterTypes(0, call.owner().asSymbol());
        }
        return MethodTypeDesc.ofDescriptor(type.descriptorString().replace(BUILDER, OUR_BUILDER));
    }
}
