package io.farheap.agent.service;

import io.farheap.agent.log.AgentLog;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/**
 * The signal HUP, by which an operator has an agent that listens read its files at once. Without
 * this it ends a process; one that was started with HUP ignored (nohup) ignores it still.
 */
public final class HangUp {
    private final String trouble;
    private boolean came; // guarded by this
    private Runnable told; // guarded by this

    private HangUp() {
        trouble = take();
    }

    /** Takes the signal from now on. One that comes before {@link #tell} is kept until then. */
    public static HangUp taken() {
        return new HangUp();
    }

    /** By name: the compiler warns of a class of sun.misc, and can't be told not to. */
    private String take() {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object mine =
                    Proxy.newProxyInstance(
                            HangUp.class.getClassLoader(),
                            new Class<?>[] {handler},
                            (self, method, arguments) -> hangUp());
            Object hup = signal.getConstructor(String.class).newInstance("HUP");
            var unused = signal.getMethod("handle", signal, handler).invoke(null, hup, mine);
            return "";
        } catch (InvocationTargetException e) { // with -Xrs
            return e.getCause().getMessage();
        } catch (ReflectiveOperationException e) { // in a runtime without jdk.unsupported
            return e.toString();
        }
    }

    private synchronized Void hangUp() {
        came = true;
        if (told != null) {
            told.run();
        }
        return null;
    }

    /**
     * Says what the signal is for.
     *
     * @param told run at each one, on any thread; must not wait
     * @param log told where the signal can't be taken
     */
    public synchronized void tell(Runnable told, AgentLog log) {
        this.told = told;
        if (came) {
            told.run();
        }
        if (!trouble.isEmpty()) {
            log.warn(
                    "The signal HUP can't be taken, and ends this agent: "
                            + trouble
                            + ". Changed files are read when somebody comes.");
        }
    }
}
