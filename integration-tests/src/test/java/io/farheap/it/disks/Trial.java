package io.farheap.it.disks;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import io.farheap.it.support.Agreement;
import io.farheap.testing.FailingCalls;
import io.farheap.tools.InProcess;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;

/** One run of an operation on disks of which a call fails. */
final class Trial {
    /** What becomes of the machine once a call has failed. */
    enum Then {
        GOES_ON,
        DIES,
        LOSES_POWER
    }

    private static final int FAULT_OF_OURS = 70;

    private final FailingCalls disk;
    private final long call;
    private final int error;
    private final Then then;
    private final String root;
    private final List<String> wrong = new ArrayList<>();
    private ObjectPool pool;
    private long before;
    private int done;
    private int tried;
    private String lastError = "";

    /**
     * @param call which fails, from {@link #arm} on; 0: none
     */
    Trial(FailingCalls disk, long call, int error, Then then, String root) {
        this.disk = disk;
        this.call = call;
        this.error = error;
        this.then = then;
        this.root = root;
    }

    /** Calls count from here on. */
    void arm() {
        before = disk.count();
        if (call > 0 && then == Then.DIES) {
            disk.failAllFrom(call, error);
        } else if (call > 0) {
            disk.fail(call, error);
        }
    }

    long calls() {
        return disk.count() - before;
    }

    boolean hasFailed() {
        return !disk.failed().isEmpty();
    }

    boolean isInterrupted() {
        return error == FailingCalls.EINTR;
    }

    Then then() {
        return then;
    }

    /** The pool that is open; null: none. */
    ObjectPool pool() {
        return pool;
    }

    void open(ObjectPool opened) {
        pool = opened;
    }

    int done() {
        return done;
    }

    int tried() {
        return tried;
    }

    /** What was not as it should be. */
    List<String> wrong() {
        return wrong;
    }

    String lastError() {
        return lastError;
    }

    /** Does it; it may fail, by what says where. */
    boolean attempt(Runnable action) {
        tried++;
        boolean succeeded = tolerated(action);
        done += succeeded ? 1 : 0;
        return succeeded;
    }

    /** The same of what does not count. */
    boolean tolerated(Runnable action) {
        try {
            action.run();
            return true;
        } catch (FarheapException e) {
            lastError = e.getMessage();
            boolean named = false;
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                named |= says(String.valueOf(cause.getMessage()));
            }
            if (!named) {
                wrong.add("names no file or replica: " + e.getMessage());
            }
            return false;
        } catch (RuntimeException | Error e) {
            lastError = e.toString();
            StringWriter trace = new StringWriter();
            e.printStackTrace(new PrintWriter(trace, true));
            wrong.add("throws " + trace);
            return false;
        }
    }

    /** A farheap command; whether its exit code was 0. */
    boolean say(String... words) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = InProcess.farheap(new PrintWriter(out, true), new PrintWriter(err, true), words);
        lastError = err.toString().isBlank() ? out.toString().strip() : err.toString().strip();
        if (code == 0) {
            lastError = "";
            return true;
        }
        if (code == FAULT_OF_OURS || !says(lastError)) {
            wrong.add("ends with " + code + ", and says " + lastError);
        }
        return false;
    }

    /** The same by somebody who agrees to what it removes. */
    boolean sayAgreeing(String... words) {
        if (say(words)) {
            return true;
        }
        String[] agreement = Agreement.words(lastError);
        return agreement.length > 0 && say(agreement);
    }

    private boolean says(String message) {
        return message.contains(root) || message.contains("there copy.set");
    }
}
