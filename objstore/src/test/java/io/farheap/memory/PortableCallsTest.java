package io.farheap.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What Linux's calls do, by the files of Java; on Linux, whatever persistence this process uses.
 */
class PortableCallsTest {
    private static final int READ_WRITE = LibC.O_RDWR | LibC.O_CLOEXEC;
    private static final int CREATE = READ_WRITE | LibC.O_CREAT;
    private static final int ANONYMOUS = LibC.MAP_PRIVATE | LibC.MAP_ANONYMOUS | LibC.MAP_NORESERVE;
    private static final long PAGE = 4096;

    private final PortableCalls calls = new PortableCalls();
    private final Arena arena = Arena.ofAuto();

    @TempDir private Path directory;

    private String name(String file) {
        return directory.resolve(file).toString();
    }

    private int file(String name, long size) {
        int file = calls.open(name(name), CREATE | LibC.O_EXCL, 0600);
        assertThat(calls.allocate(file, 0, size)).isZero();
        return file;
    }

    private MemorySegment word(long value) {
        MemorySegment word = arena.allocate(ValueLayout.JAVA_LONG);
        word.set(ValueLayout.JAVA_LONG, 0, value);
        return word;
    }

    private static MemorySegment at(long address, long length) {
        return MemorySegment.ofAddress(address).reinterpret(length);
    }

    private long stored(String file, long offset) throws IOException {
        try (RandomAccessFile opened = new RandomAccessFile(name(file), "r")) {
            opened.seek(offset);
            return Long.reverseBytes(opened.readLong());
        }
    }

    @Test
    void filesAreMadeReadWrittenCutAndLengthened() throws IOException {
        int file = calls.open(name("a"), CREATE | LibC.O_EXCL, 0640);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(Path.of(name("a")))))
                .isEqualTo("rw-r-----");
        assertThat(calls.open(name("a"), CREATE | LibC.O_EXCL, 0600)).isEqualTo(-LibC.EEXIST);
        assertThat(calls.write(file, word(7), 8)).isEqualTo(8);
        MemorySegment read = arena.allocate(32);
        assertThat(calls.read(file, read, 0)).isEqualTo(16);
        assertThat(read.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(7);
        assertThat(calls.read(file, read, 16)).isZero();
        assertThat(calls.truncate(file, 100)).isZero();
        assertThat(calls.size(file)).isEqualTo(100);
        assertThat(calls.truncate(file, 12)).isZero();
        assertThat(calls.allocate(file, 8, 200_000)).isZero();
        assertThat(calls.size(file)).isEqualTo(200_008);
        assertThat(stored("a", 8)).as("what it had").isEqualTo(7);
        assertThat(calls.setMode(file, 0604)).isZero();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(Path.of(name("a")))))
                .isEqualTo("rw----r--");
        assertThat(calls.close(file)).isZero();
        assertThat(calls.close(file)).isEqualTo(-PortableErrors.EBADF);
    }

    @Test
    void namesChangeAndGo() throws IOException {
        int file = file("a", 8);
        Path other = Files.writeString(directory.resolve("b"), "replaced");
        assertThat(calls.rename(name("a"), name("b"))).isZero();
        assertThat(PortableFiles.isAt(file, other)).isTrue();
        assertThat(calls.setMode(file, 0600)).as("by its new name").isZero();
        assertThat(calls.unlink(name("b"))).isZero();
        assertThat(calls.unlink(name("b"))).isEqualTo(-LibC.ENOENT);
        assertThat(calls.unlink(directory.toString())).isEqualTo(-PortableErrors.EISDIR);
        Files.writeString(other, "another");
        assertThat(PortableFiles.isAt(file, other)).isFalse();
        assertThat(calls.setMode(file, 0600)).isEqualTo(-PortableErrors.ESTALE);
        assertThat(calls.close(file)).isZero();
    }

    @Test
    void aSymbolicLinkIsNotFollowedWhereThatIsAsked() throws IOException {
        Path target = Files.writeString(directory.resolve("target"), "x");
        Path unused = Files.createSymbolicLink(directory.resolve("link"), target);
        int noFollow = Platform.current().noFollowFlag();
        assertThat(calls.open(name("link"), READ_WRITE | noFollow, 0))
                .isEqualTo(-PortableErrors.ELOOP);
        int followed = calls.open(name("link"), READ_WRITE, 0);
        assertThat(followed).isPositive();
        assertThat(calls.close(followed)).isZero();
    }

    @Test
    void whoMayOnlyReadCannotWrite() throws IOException {
        Path unused = Files.writeString(directory.resolve("a"), "12345678");
        int file = calls.open(name("a"), LibC.O_CLOEXEC, 0);
        assertThat(calls.write(file, word(1), 0)).isEqualTo(-PortableErrors.EBADF);
        assertThat(calls.truncate(file, 1)).isEqualTo(-PortableErrors.EBADF);
        assertThat(calls.lock(file, LibC.LOCK_EXCLUSIVE_NOW)).isZero();
        assertThat(calls.close(file)).isZero();
    }

    /** As /proc/locks shows it: POSIX lets a lock go when any descriptor of the file is closed. */
    @Test
    void aLockStaysWhenAnotherDescriptorOfTheFileIsClosed() throws IOException {
        int holder = file("a", 2 * PAGE);
        int other = calls.open(name("a"), READ_WRITE, 0);
        assertThat(calls.lock(holder, LibC.LOCK_EXCLUSIVE_NOW)).isZero();
        assertThat(calls.lock(holder, LibC.LOCK_EXCLUSIVE_NOW)).as("again").isZero();
        assertThat(calls.lock(other, LibC.LOCK_EXCLUSIVE_NOW)).isEqualTo(-LibC.EAGAIN);
        long mapped = calls.map(0, PAGE, LibC.PROT_READ_WRITE, LibC.MAP_SHARED, other, PAGE);
        assertThat(calls.close(other)).isZero();
        assertThat(calls.unmap(mapped, PAGE)).isZero();
        assertThat(recordLock("a")).hasValue(ProcessHandle.current().pid());
        assertThat(calls.lock(holder, LibC.UNLOCK)).isZero();
        assertThat(recordLock("a")).isEmpty();
        assertThat(calls.close(holder)).isZero();
    }

    /** Whose lock is on the file itself, not on the one beside it. */
    private OptionalLong recordLock(String file) throws IOException {
        Path path = directory.resolve(file);
        return LockHolder.pid(path, LockHolder.POSIX, PortableFile.LOCKED_BYTE);
    }

    /** As anything does that reads a file to see what it is. */
    @Test
    void aLockStaysWhateverThisProcessOpens() throws IOException {
        Path path = directory.resolve("a");
        Path beside = directory.resolve("a.portable-lock");
        Path left = Files.writeString(beside, "of a process that was killed");
        int holder = file("a", PAGE);
        assertThat(calls.lock(holder, LibC.LOCK_EXCLUSIVE_NOW)).isZero();
        assertThat(Files.readAllBytes(path)).hasSize((int) PAGE);
        assertThat(LockHolder.pid(path)).hasValue(ProcessHandle.current().pid());
        assertThat(LockHolder.of(path)).isEqualTo("this process");

        assertThat(calls.rename(path.toString(), name("b"))).isZero();
        assertThat(Files.readAllBytes(directory.resolve("b"))).hasSize((int) PAGE);
        assertThat(LockHolder.pid(directory.resolve("b")))
                .as("by its new name")
                .hasValue(ProcessHandle.current().pid());
        assertThat(left).doesNotExist();
        assertThat(calls.close(holder)).isZero();
        assertThat(directory.toFile().list()).containsExactly("b");
    }

    @Test
    void whoEverLocksInTheOtherWayIsExcluded() {
        int portable = file("a", PAGE);
        assertThat(calls.lock(portable, LibC.LOCK_EXCLUSIVE_NOW)).isZero();
        try (NativeFile file = NativeFile.open(directory.resolve("a"))) {
            assertThat(file.tryLock()).isFalse();
            assertThat(calls.close(portable)).isZero();
            assertThat(file.tryLock()).isTrue();
        }
    }

    @Test
    void anInterruptClosesNothing() throws Exception {
        FutureTask<Long> task = new FutureTask<>(interrupted());
        Thread thread = Thread.ofPlatform().start(task);
        thread.join();
        assertThat(task.get()).isEqualTo(77);
    }

    private Callable<Long> interrupted() {
        return () -> {
            Thread.currentThread().interrupt();
            int file = file("a", 2 * PAGE);
            assertThat(calls.lock(file, LibC.LOCK_EXCLUSIVE_NOW)).isZero();
            assertThat(calls.write(file, word(77), 8)).isEqualTo(8);
            long mapped = calls.map(0, PAGE, LibC.PROT_READ_WRITE, LibC.MAP_SHARED, file, 0);
            assertThat(mapped).isPositive();
            assertThat(calls.syncPages(mapped, PAGE)).isZero();
            assertThat(calls.sync(file)).isZero();
            MemorySegment read = arena.allocate(8);
            assertThat(calls.read(file, read, 8)).isEqualTo(8);
            assertThat(calls.unmap(mapped, PAGE)).isZero();
            assertThat(calls.close(file)).isZero();
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            return read.get(ValueLayout.JAVA_LONG, 0);
        };
    }

    @Test
    void aFileAloneIsMapped() throws IOException {
        int file = file("a", 3 * PAGE);
        long mapped = calls.map(0, 2 * PAGE, LibC.PROT_READ_WRITE, LibC.MAP_SHARED, file, PAGE);
        at(mapped, 2 * PAGE).set(ValueLayout.JAVA_LONG, PAGE, 5);
        assertThat(calls.syncPages(mapped + PAGE, PAGE)).isZero();
        assertThat(stored("a", 2 * PAGE)).isEqualTo(5);
        assertThat(calls.map(0, 2 * PAGE, LibC.PROT_READ_WRITE, LibC.MAP_SHARED, file, 2 * PAGE))
                .as("Java would make it longer")
                .isEqualTo(-LibC.EINVAL);
        assertThat(calls.size(file)).isEqualTo(3 * PAGE);
        assertThat(calls.unmap(mapped, 2 * PAGE)).isZero();
        assertThat(calls.unmap(mapped, 2 * PAGE)).as("nothing there").isZero();
        assertThat(calls.close(file)).isZero();
    }

    @Test
    void filesAreCopiedBehindEachOtherAndSyncsGoToEach() throws IOException {
        int first = file("a", 2 * PAGE);
        int second = file("b", 2 * PAGE);
        assertThat(calls.write(second, word(9), PAGE)).isEqualTo(8);
        long start = calls.map(0, 6 * PAGE, LibC.PROT_NONE, ANONYMOUS, -1, 0);
        assertThat(calls.unmap(start, PAGE)).isZero();
        assertThat(calls.unmap(start + 5 * PAGE, PAGE)).isZero();
        long image = start + PAGE;
        int fixed = LibC.MAP_FIXED | LibC.MAP_SHARED;
        assertThat(calls.map(image, 2 * PAGE, LibC.PROT_READ_WRITE, fixed, first, 0))
                .isEqualTo(image);
        assertThat(calls.map(image + 2 * PAGE, PAGE, LibC.PROT_READ_WRITE, fixed, second, PAGE))
                .isEqualTo(image + 2 * PAGE);
        assertThat(calls.map(image + 3 * PAGE, 2 * PAGE, LibC.PROT_READ_WRITE, fixed, second, 0))
                .as("more than is reserved")
                .isEqualTo(-LibC.EINVAL);
        MemorySegment memory = at(image, 3 * PAGE);
        assertThat(memory.get(ValueLayout.JAVA_LONG, 2 * PAGE)).isEqualTo(9);

        memory.set(ValueLayout.JAVA_LONG, PAGE, 1);
        memory.set(ValueLayout.JAVA_LONG, 2 * PAGE, 2);
        memory.set(ValueLayout.JAVA_LONG, 8, 3);
        assertThat(stored("a", PAGE)).as("before a sync").isZero();
        MemorySegment read = arena.allocate(2 * PAGE);
        assertThat(calls.read(first, read, 0)).isEqualTo(2 * PAGE);
        assertThat(read.get(ValueLayout.JAVA_LONG, PAGE)).as("by us").isEqualTo(1);
        int again = calls.open(name("a"), READ_WRITE, 0);
        assertThat(calls.write(again, word(4), PAGE + 16)).isEqualTo(8);
        assertThat(calls.close(again)).isZero();
        assertThat(memory.get(ValueLayout.JAVA_LONG, PAGE + 16)).as("by us").isEqualTo(4);
        assertThat(calls.syncPages(image + PAGE, 2 * PAGE)).isZero();
        assertThat(stored("a", PAGE)).isEqualTo(1);
        assertThat(stored("b", PAGE)).isEqualTo(2);
        assertThat(stored("a", 8)).as("another page").isZero();

        assertThat(calls.close(first)).isZero();
        assertThat(calls.close(second)).isZero();
        assertThat(calls.unmap(image, 4 * PAGE)).isZero();
        assertThat(stored("a", 8)).as("once it is closed").isEqualTo(3);
        assertThat(calls.syncPages(image, PAGE)).isEqualTo(-PortableErrors.ENOMEM);
    }

    @Test
    void theEndOfACopyWritesNothingThatWasNotStoredInIt() throws IOException {
        int file = file("a", 2 * PAGE);
        long image = calls.map(0, 2 * PAGE, LibC.PROT_NONE, ANONYMOUS, -1, 0);
        int fixed = LibC.MAP_FIXED | LibC.MAP_SHARED;
        assertThat(calls.map(image, 2 * PAGE, LibC.PROT_READ_WRITE, fixed, file, 0))
                .isEqualTo(image);
        long header = calls.map(0, PAGE, LibC.PROT_READ_WRITE, LibC.MAP_SHARED, file, 0);
        at(header, PAGE).set(ValueLayout.JAVA_LONG, 0, 6);
        assertThat(calls.unmap(header, PAGE)).isZero();
        at(image, 2 * PAGE).set(ValueLayout.JAVA_LONG, PAGE + 8, 7);
        assertThat(calls.unmap(image, 2 * PAGE)).isZero();
        assertThat(stored("a", 0)).isEqualTo(6);
        assertThat(stored("a", PAGE + 8)).isEqualTo(7);
        assertThat(calls.close(file)).isZero();
    }

    @Test
    void whatIsPrivateReachesNoFile() throws IOException {
        int file = file("a", PAGE);
        long image = calls.map(0, PAGE, LibC.PROT_NONE, ANONYMOUS, -1, 0);
        int flags = LibC.MAP_FIXED | LibC.MAP_PRIVATE;
        assertThat(calls.map(image, PAGE, LibC.PROT_READ_WRITE, flags, file, 0)).isEqualTo(image);
        at(image, PAGE).fill((byte) 1);
        assertThat(calls.syncPages(image, PAGE)).isZero();
        assertThat(calls.unmap(image, PAGE)).isZero();
        assertThat(stored("a", 0)).isZero();
        assertThat(calls.close(file)).isZero();
    }

    @Test
    void aFileThatWasCutOffIsNotLengthenedAgain() {
        int file = file("a", 2 * PAGE);
        long image = calls.map(0, 2 * PAGE, LibC.PROT_NONE, ANONYMOUS, -1, 0);
        int flags = LibC.MAP_FIXED | LibC.MAP_SHARED;
        assertThat(calls.map(image, 2 * PAGE, LibC.PROT_READ_WRITE, flags, file, 0))
                .isEqualTo(image);
        at(image, 2 * PAGE).fill((byte) 1);
        assertThat(calls.truncate(file, 100)).isZero();
        assertThat(calls.syncPages(image, 2 * PAGE)).isEqualTo(-LibC.EIO);
        assertThat(calls.size(file)).isEqualTo(100);
        assertThat(calls.unmap(image, 2 * PAGE)).isEqualTo(-LibC.EIO);
        assertThat(calls.size(file)).isEqualTo(100);
        assertThat(calls.close(file)).isZero();
    }

    @Test
    void thereIsNoDaxAndNothingPastTheCache() {
        int file = file("a", PAGE);
        int flags = LibC.MAP_SHARED_VALIDATE | LibC.MAP_SYNC;
        assertThat(calls.map(0, PAGE, LibC.PROT_READ, flags, file, 0))
                .isEqualTo(-PortableErrors.EOPNOTSUPP);
        assertThat(calls.open(name("a"), READ_WRITE | Platform.current().directFlag(), 0))
                .isEqualTo(-LibC.EINVAL);
        assertThat(calls.close(file)).isZero();
    }
}
