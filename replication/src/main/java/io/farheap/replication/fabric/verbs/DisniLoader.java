package io.farheap.replication.fabric.verbs;

import io.farheap.base.FarheapException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;

/**
 * Loads DiSNI and what is written against it, and finds DiSNI's native half: one that the user
 * installed in {@code java.library.path} goes first, then the one carried in this jar.
 */
final class DisniLoader extends ClassLoader {
    static final String OWN_PACKAGE = "io.farheap.replication.fabric.verbs.disni.";

    private static final String DISNI_PACKAGE = "com.ibm.disni.";
    private static final String LIBRARY = "disni";

    private volatile Path unpacked;
    private volatile FarheapException failure;

    DisniLoader(ClassLoader parent) {
        super("farheap-disni", parent);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(OWN_PACKAGE) && !name.startsWith(DISNI_PACKAGE)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            Class<?> loaded = known != null ? known : findClass(name);
            if (resolve) {
                resolveClass(loaded);
            }
            return loaded;
        }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        String resource = name.replace('.', '/') + ".class";
        try (InputStream file = getParent().getResourceAsStream(resource)) {
            if (file == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = file.readAllBytes();
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    /** Null where the JVM's own search finds the user's library, or there is none to offer. */
    @Override
    protected String findLibrary(String name) {
        if (!name.equals(LIBRARY) || userInstalled()) {
            return null;
        }
        try (InputStream carried = getParent().getResourceAsStream(carriedLibrary())) {
            return carried == null ? null : unpack(carried);
        } catch (IOException e) {
            throw new UncheckedIOException("DiSNI's native half can't be unpacked", e);
        }
    }

    private static boolean userInstalled() {
        for (String folder :
                System.getProperty("java.library.path", "").split(File.pathSeparator)) {
            if (!folder.isEmpty()
                    && Files.exists(Path.of(folder, System.mapLibraryName(LIBRARY)))) {
                return true;
            }
        }
        return false;
    }

    /** Of this platform, as a resource. */
    static String carriedLibrary() {
        return "META-INF/native/" + platform() + "/" + System.mapLibraryName(LIBRARY);
    }

    private static String platform() {
        String architecture = System.getProperty("os.arch");
        return System.getProperty("os.name").toLowerCase(Locale.ROOT)
                + "-"
                + (architecture.equals("amd64") ? "x86_64" : architecture);
    }

    private String unpack(InputStream carried) throws IOException {
        Path file = Files.createTempFile("farheap-disni-", ".so");
        unpacked = file;
        Files.copy(carried, file, StandardCopyOption.REPLACE_EXISTING);
        return file.toString();
    }

    /**
     * Removes the file that the native half was loaded from: the system keeps what is mapped, and a
     * process that is killed cleans up nothing.
     */
    void removeUnpacked() {
        Path file = unpacked;
        unpacked = null;
        try {
            if (file != null) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            System.getLogger(DisniLoader.class.getName())
                    .log(System.Logger.Level.DEBUG, "can't remove " + file, e);
        }
    }

    /** Why nothing can be loaded; null as long as nothing failed. */
    FarheapException failure() {
        return failure;
    }

    void failed(FarheapException why) {
        failure = why;
    }

    /** What to do about a failure to load, in a sentence or two. */
    static String remedy(Throwable cause) {
        String what = String.valueOf(cause.getMessage());
        if (cause instanceof ClassNotFoundException) {
            return "the class "
                    + what
                    + " is missing; put DiSNI (com.ibm.disni:disni) on the class"
                    + " path.";
        }
        if (cause instanceof IllegalAccessError && what.contains("sun.nio.ch")) {
            return "DiSNI needs the JVM's option --add-exports=java.base/sun.nio.ch=ALL-UNNAMED.";
        }
        if (cause instanceof UnsatisfiedLinkError) {
            return "DiSNI's native half can't be loaded for "
                    + platform()
                    + " ("
                    + what
                    + "); install libibverbs1 and librdmacm1, or a libdisni of your own in"
                    + " java.library.path.";
        }
        return what;
    }
}
