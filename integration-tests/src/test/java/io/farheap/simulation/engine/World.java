package io.farheap.simulation.engine;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Everything that happens in one simulated history, in an order that one seed decides: threads run
 * one at a time on the thread that called {@link #run}, and time passes only here.
 *
 * <p>A thread runs until it blocks, passes time, or is interrupted at one of the points where
 * another thread could see what it does ({@link #point}). Which one goes on then is drawn at
 * random. When none can, the clock moves on to the next timer; when there is none either, nothing
 * will ever happen again: {@link Stuck}.
 */
public final class World {
    /** One in so many steps, a thread that could run is kept from it for a while. */
    private static final int STALL_ONE_IN = 400;

    private static final long REAL_SECONDS = 30;
    private static final long FOREVER = Long.MAX_VALUE / 2;
    private static final long LONGEST_STALL = 3_000_000;

    /** Those that were cancelled stay until their time, which may be far. */
    private static final long TIMERS_PER_CLEARING = 1 << 18;

    private static World current;

    private final Random random;
    private final Trace trace;
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private final List<SimThread> ready = new ArrayList<>();
    private final List<SimThread> threads = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    final Map<Object, SimMonitor> monitors = new IdentityHashMap<>();
    private final Thread carrier = Thread.currentThread();
    private final int pointsPerSwitch;
    private int pointsLeft;
    private long now = 1_000_000_000;
    private long timerCount;
    private int threadCount;
    private SimThread running;

    /** Threads that the virtual machine had stopped by itself, and lets go on. */
    private final BlockingQueue<SimThread> returned = new LinkedBlockingQueue<>();

    /**
     * A world in which nothing has happened yet; the only one from now on.
     *
     * @param pointsPerSwitch how many points a thread passes, on average, before another one gets
     *     its turn
     */
    public World(long seed, int pointsPerSwitch, Trace trace) {
        // Random's first draws for neighbouring seeds are almost the same ones.
        this.random = new Random(new SplittableRandom(seed).nextLong());
        this.pointsPerSwitch = pointsPerSwitch;
        this.pointsLeft = 1 + random.nextInt(2 * pointsPerSwitch);
        this.trace = trace;
        current = this;
    }

    /** The world that product code runs in. */
    public static World current() {
        return current;
    }

    /** The one source of chance. */
    public Random random() {
        return random;
    }

    /** Virtual nanoseconds. */
    public long now() {
        return now;
    }

    /** Notes something that happened, for whoever reads the history of this seed. */
    public void note(String what) {
        trace.add(now, running == null ? "-" : running.toString(), what);
    }

    /** It happened, with an effect. */
    public void count(Happening what) {
        note(what.text());
        trace.count(what);
    }

    /** A method of the product begins that is counted. */
    public static void reached(String what) {
        current.count(Happening.valueOf(what));
    }

    /** Whether notes are kept, not only counted into the trace's hash. */
    public boolean isTraced() {
        return trace.isKept();
    }

    // ---- time ----

    /** Runs something later, on no thread: it must not block. */
    public Timer at(long time, Runnable action) {
        Timer timer = new Timer(Math.max(time, now), timerCount++, action);
        if (timerCount % TIMERS_PER_CLEARING == 0) {
            timers.removeIf(Timer::isCancelled);
        }
        timers.add(timer);
        return timer;
    }

    /** As {@link #at}, so many nanoseconds from now. */
    public Timer after(long nanos, Runnable action) {
        return at(now + Math.clamp(nanos, 0, FOREVER), action);
    }

    /** A moment of work. */
    void pass(long nanos) {
        now += nanos;
    }

    // ---- threads ----

    /** The thread that runs now; null between threads. */
    public SimThread running() {
        return running;
    }

    /** The process that runs now; null between threads. */
    public SimProcess process() {
        return running == null ? null : running.process();
    }

    /** A thread that is not started yet. */
    public Thread newThread(SimProcess process, String name, Runnable body) {
        SimThread made = new SimThread(this, process, name, ++threadCount, body);
        threads.add(made);
        return made.thread();
    }

    void ready(SimThread thread) {
        if (Thread.currentThread() != carrier && !Thread.currentThread().isVirtual()) {
            // The JDK's cleaner ends executors of processes that are long dead.
            if (!thread.process().isDead()) {
                returned.add(thread);
            }
            return;
        }
        ready.add(thread);
    }

    void failed(SimThread thread, Throwable failure) {
        note("failed: " + failure);
        failures.add(new IllegalStateException(thread + " failed", failure));
    }

    /** Another thread may take over here. Cheap. */
    public void point() {
        if (--pointsLeft == 0) {
            pointsLeft = 1 + random.nextInt(2 * pointsPerSwitch);
            if (running != null) {
                Thread.yield();
            }
        }
    }

    /** The process was stopped and goes on: its threads that could run may. */
    void awaken(List<SimThread> asleep) {
        ready.addAll(asleep);
    }

    /**
     * Lets things happen until {@code done}.
     *
     * @param bound virtual nanoseconds that this may take at most
     * @throws Stuck when it takes longer, or nothing can happen any more
     */
    public void run(BooleanSupplier done, long bound) {
        long deadline = now + bound;
        while (!done.getAsBoolean()) {
            throwFailure();
            if (now > deadline) {
                throw new Stuck("not done after " + bound / 1_000_000 + " ms", threads);
            }
            Timer due = timers.peek();
            if (due != null && (due.time() <= now || ready.isEmpty())) {
                fire(timers.remove());
            } else if (ready.isEmpty()) {
                throw new Stuck("nothing can happen any more", threads);
            } else {
                step();
            }
        }
        throwFailure();
    }

    private void throwFailure() {
        if (!failures.isEmpty()) {
            throw new IllegalStateException("a thread failed", failures.get(0));
        }
    }

    private void fire(Timer timer) {
        if (!timer.isCancelled()) {
            now = Math.max(now, timer.time());
            timer.action().run();
        }
    }

    private void step() {
        int last = ready.size() - 1;
        int index = random.nextInt(last + 1);
        SimThread thread = ready.get(index);
        ready.set(index, ready.get(last));
        ready.remove(last);
        if (thread.process().isDead()) {
            return;
        }
        if (thread.process().isStopped()) {
            thread.process().sleepers().add(thread);
            return;
        }
        if (random.nextInt(STALL_ONE_IN) == 0) {
            Timer unused = after(random.nextLong(LONGEST_STALL), () -> ready.add(thread));
            return;
        }
        trace.step(now, thread.number());
        now += 50 + random.nextInt(400);
        running = thread;
        try {
            thread.proceed();
            while (thread.isStoppedByTheMachine()) {
                awaitReturn(thread);
                thread.proceed();
            }
        } finally {
            running = null;
        }
        if (thread.isOver()) {
            threads.remove(thread);
        }
    }

    /** It waits for a monitor of the JDK that its cleaner has just now: in real time. */
    private void awaitReturn(SimThread thread) {
        try {
            SimThread back = returned.poll(REAL_SECONDS, TimeUnit.SECONDS);
            if (back != thread) {
                throw new IllegalStateException(thread + " waits, and " + back + " came back");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Forgets all there was. The threads never end, and the JDK keeps those of executors: they must
     * not keep the rest.
     */
    public void end() {
        threads.clear();
        ready.clear();
        timers.clear();
        monitors.clear();
        failures.clear();
        running = null;
    }

    /** No world follows: the last one is let go, with the disks of its machines. */
    public static void endAll() {
        current = null;
    }
}
