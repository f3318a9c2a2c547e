package io.farheap.replication.fabric.verbs;

import java.util.Arrays;
import java.util.function.Consumer;

/** Runs a program that is written against DiSNI itself. */
final class DisniProgram {
    private DisniProgram() {}

    /**
     * @param args the class in the package that knows DiSNI, which takes the rest
     */
    public static void main(String[] args) throws ReflectiveOperationException {
        DisniLoader loader = new DisniLoader(DisniProgram.class.getClassLoader());
        @SuppressWarnings("unchecked")
        Consumer<String[]> program =
                (Consumer<String[]>)
                        Class.forName(DisniLoader.OWN_PACKAGE + args[0], true, loader)
                                .getDeclaredConstructor()
                                .newInstance();
        try {
            program.accept(Arrays.copyOfRange(args, 1, args.length));
        } finally {
            loader.removeUnpacked();
        }
    }
}
