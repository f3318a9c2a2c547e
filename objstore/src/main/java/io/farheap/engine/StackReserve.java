package io.farheap.engine;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.MTD_void;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.invoke.MethodHandles;

/**
 * Asks for the stack that the end of a transaction may need before the transaction begins: near the
 * end of a thread's stack, a {@link StackOverflowError} then comes where nothing has happened yet,
 * and not from the middle of a roll-back that somebody must finish.
 *
 * <p>A JVM tests, as it enters a method, whether the stack has room for all of the method's local
 * variables, used or not, interpreted or compiled. The method here has {@value #BYTES} bytes of
 * them, which no source can say in a few lines, so its class is made at the first use. It is too
 * long to become part of its callers; it costs a call and one store per page.
 */
public final class StackReserve {
    /** Several times what the longest way to end a transaction takes, interpreted. */
    private static final int BYTES = 24 << 10;

    /** The same of what only has to say that it has ended. */
    private static final int FEW_BYTES = 4 << 10;

    /** A method of so many bytes is called, and not made a part of what calls it. */
    private static final int CODE_BYTES = 400;

    /** A call that might happen makes a compiler keep count of the local variables. */
    static boolean measured;

    private static final Runnable ROOM = make(BYTES);
    private static final Runnable LITTLE_ROOM = make(FEW_BYTES);

    private StackReserve() {}

    /**
     * Returns when the calling thread has room for the end of a transaction.
     *
     * @throws StackOverflowError when it has not
     */
    public static void require() {
        ROOM.run();
    }

    /**
     * Returns when the calling thread has room for the end of something that has only a word to
     * clear then.
     *
     * @throws StackOverflowError when it has not
     */
    public static void requireLittle() {
        LITTLE_ROOM.run();
    }

    private static Runnable make(int bytes) {
        ClassDesc room = ClassDesc.of(StackReserve.class.getName() + "Room");
        try {
            return (Runnable)
                    MethodHandles.lookup()
                            .defineHiddenClass(
                                    ClassFile.of().build(room, builder -> describe(builder, bytes)),
                                    true)
                            .lookupClass()
                            .getDeclaredConstructor()
                            .newInstance();
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private static void describe(ClassBuilder room, int bytes) {
        room.withInterfaceSymbols(ClassDesc.of(Runnable.class.getName()))
                .withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SUPER)
                .withMethodBody(
                        ConstantDescs.INIT_NAME,
                        MTD_void,
                        ClassFile.ACC_PUBLIC,
                        code ->
                                code.aload(0)
                                        .invokespecial(CD_Object, ConstantDescs.INIT_NAME, MTD_void)
                                        .return_())
                .withMethodBody("run", MTD_void, ClassFile.ACC_PUBLIC, code -> body(code, bytes));
    }

    private static void body(CodeBuilder code, int bytes) {
        ClassDesc here = ClassDesc.of(StackReserve.class.getName());
        for (int i = 0; i < CODE_BYTES; i++) {
            code.nop();
        }
        code.getstatic(here, "measured", ConstantDescs.CD_boolean)
                .ifThen(then -> then.invokestatic(here, "require", MTD_void))
                .lconst_0()
                .lstore(bytes / Long.BYTES)
                .return_();
    }
}
