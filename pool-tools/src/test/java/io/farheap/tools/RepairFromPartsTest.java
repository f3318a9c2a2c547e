package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.layout.Descriptor;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.ShutdownState;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.PoolSource;
import io.farheap.pool.RestorationLeftovers;
import io.farheap.tools.status.LocalRemedy;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two replicas with other borders lost other parts: together they have the pool, or may have. */
class RepairFromPartsTest extends PoolOfParts {
    @Nested
    class MadeWhole {
        @ParameterizedTest
        @CsvSource({"b, f", "b, d", "c, d"})
        void eachLostAnotherPart(String one, String other) throws IOException {
            if (other.equals("d")) {
                flip("d", 100); // its number is behind the header
                lose(one);
            } else {
                lose(one, other);
            }
            made();
        }

        /** c and f are behind no missing part, or share bytes with what is placed. */
        @ParameterizedTest
        @CsvSource({"b, f", "f, b"})
        void aReplicaIsLargerThanThePool(String missing, String wrong) throws IOException {
            createAnew("8M @a\n5M @b\n7M @c\nREPLICA\n6M @d\n8M @e\n5M @f\n");
            if (missing.equals("b")) {
                lose("b", "f");
            } else {
                lose("f");
                flip("b", 100);
            }
            made();
        }

        @Test
        void theBordersAreEqual() throws IOException {
            createAnew("8M @a\n5M @b\n6M @c\nREPLICA\n8M @d\n5M @e\n6M @f\n");
            lose("b", "f");
            made();
        }

        @Test
        void aLargerReplicaThatGivesNothingLosesAPartToo() throws IOException {
            createAnew(LINES + "REPLICA\n9M @g\n4M @h\n9M @i\n");
            byte[] left = Files.readAllBytes(dir.resolve("i"));
            lose("b", "f", "h");
            made();
            assertThat(dir.resolve("h")).exists();
            assertThat(dir.resolve("i")).hasBinaryContent(left);
        }

        @Test
        void thePoolUsesLessThanItsParts() throws IOException {
            restoreIntoLargerParts(LINES);
            sound = bytes();
            lose("f");
            flip("b", 100);
            Run.farheap("sync", set).succeeded();
            Run.farheap("check", set).succeeded();
            Run.farheap("verify", set).succeeded();
            assertThat(Files.readAllBytes(dir.resolve("c"))).isEqualTo(sound.get("c"));
        }

        @Test
        void aReplicaThatIsGoneComesBackToo() throws IOException {
            createAnew(LINES + "REPLICA\n19M @g\n");
            lose("b", "f", "g");
            made();
            assertThat(dir.resolve("g")).exists();
        }

        @Test
        void whatMeansNothingMayDiffer() throws IOException {
            freeObjectsAt(13 * MIB + MIB / 2);
            lose("b", "f");
            flip("e", inFile(13 * MIB + MIB / 2, 6 * MIB));
            Run.farheap("sync", set).succeeded();
            Run.farheap("check", set).succeeded();
            Run.farheap("verify", set).succeeded();
        }

        @Test
        void whatIsLeftOfAReplicaWithoutItsNumberStaysWhereItIsTheSame() throws IOException {
            createAnew(LINES + "REPLICA\n10M @g\n10M @h\n");
            byte[] left = Files.readAllBytes(dir.resolve("h"));
            lose("b", "f", "g");
            flip("h", 3 * MIB);
            refused("part 1 of replica 2 (" + dir.resolve("h") + ") differ in image bytes ");
            Files.write(dir.resolve("h"), left);
            made();
            assertThat(dir.resolve("h")).hasBinaryContent(left);
        }

        @Test
        void aDryRunSaysWhatComesFromWhereAndChangesNothing() throws IOException {
            lose("b", "f");
            Map<String, byte[]> before = bytes();
            String out = Run.farheap("sync", "-d", set).succeeded().out();
            int end = 13 * MIB - PAGE;
            assertThat(out)
                    .contains(
                            "replica 0 part 1: " + dir.resolve("b") + " is missing",
                            "part 1 is made anew, image bytes 8388608 to %s from part 1 of replica 1"
                                    .formatted(end),
                            "part 2 is made anew, image bytes %s to %s from part 2 of replica 0"
                                    .formatted(14 * MIB - PAGE, 19 * MIB - 2 * PAGE),
                            set + ": nothing was changed");
            assertThat(bytes().keySet()).isEqualTo(before.keySet());
            assertThat(Run.farheap("status", set).out())
                    .contains(
                            "farheap sync -d " + set + " says whether the replicas have all of it");
        }

        @Test
        void anUnfinishedRunOfTheSameIsRunAgain() throws IOException {
            lose("b", "f");
            Path left = RestorationLeftovers.unfinished(dir.resolve("b"));
            Files.write(left, new byte[77]);
            assertThat(Run.farheap("sync", "-d", set).succeeded().out())
                    .contains("would remove " + left);
            made();
        }
    }

    @Nested
    class NotThere {
        @Test
        void aRangeThatBothLostIsNamed() throws IOException {
            lose("b", "e");
            String range =
                    "image bytes %s to %s are in no part".formatted(8 * MIB, 13 * MIB - PAGE);
            String lost = "part 1 of replica 0 (%s)".formatted(dir.resolve("b"));
            refused("no healthy replica found", range, lost, "put a backup in place");
        }

        @Test
        void oneReplicaAloneHasNothingToBePutTogetherWith() throws IOException {
            lose("b", "d", "e", "f");
            assertThat(refused("no healthy replica found").err()).doesNotContain("together");
        }

        @Test
        void allFirstPartsAreLost() throws IOException {
            lose("a", "d");
            refused("no healthy replica found", "have the number of the run");
        }
    }

    @Nested
    class NotPlaced {
        /** The other replica goes on where it would end now: nothing lies over each other. */
        @Test
        void aLineBeforeWhatIsThereWasChanged() throws IOException {
            lose("b", "f");
            write(LINES.replace("5M @b", "6M @b"));
            refused(
                    "part 2 of replica 0 (" + dir.resolve("c") + ") can't be placed",
                    "only the lines of those say how long they were");
        }

        @Test
        void bothReplicasHaveAnotherSizeThanThePool() throws IOException {
            lose("b", "f");
            write(LINES.replace("5M @b", "6M @b").replace("5M @f", "6M @f"));
            refused("can't be placed", "put the old sizes back");
        }

        /** It has the pool's size by now, all objects have one length, and no bytes are common. */
        @Test
        void theLineOfAReplicaThatWasLargerThanThePoolWasChanged() throws IOException {
            String lines = "8M @a\n6M @b\n6M @c\nREPLICA\n6M @d\n7M @e\n6M @f\n";
            createAnew(lines);
            freeObjectsAt(17 * MIB + MIB / 4); // the last: its header stays, as if of another
            lose("b", "f");
            write(lines.replace("6M @b", "5M @b"));
            refused("part 2 of replica 0 (" + dir.resolve("c") + ") can't be placed");
        }

        @Test
        void theLinesHaveNoRoomForThePool() throws IOException {
            lose("b", "f");
            write(LINES.replace("5M @b", "4M @b"));
            refused("put back the sizes that it was made with");
        }

        @Test
        void whatIsCommonDiffersBecauseALineWasChanged() throws IOException {
            String lines = LINES.replace("6M @c", "7M @c");
            createAnew(lines);
            lose("b", "f");
            write(lines.replace("5M @b", "4M @b"));
            refused("differ in image bytes", "It may be that part 2 of replica 0");
        }

        @Test
        void whatIsCommonMeansNothing() throws IOException {
            freeObjectsAt(13 * MIB);
            freeObjectsAt(13 * MIB + MIB / 2);
            freeObjectsAt(14 * MIB - PAGE);
            lose("b", "f");
            refused("which has no bytes in common that tell, can't be placed");
        }

        /** Each page is like the next: in any other place it would be, too. */
        @Test
        void whatIsCommonIsAsInOtherPlaces() throws IOException {
            lose(PARTS.toArray(new String[0]));
            try (ObjectPool pool = ObjectPool.at(set).layout("bank").options(PAGES).create()) {
                pool.transaction(
                        tx -> {
                            Ref object = tx.allocate(14 * MIB, 7);
                            for (int at = 0; at < 14 * MIB; at += Long.BYTES) {
                                tx.setLong(object, at, at % PAGE);
                            }
                        });
            }
            lose("b", "f");
            refused("which has no bytes in common that tell, can't be placed");
        }

        @Test
        void equalBordersDoNotTellWhereThePoolUsesLessThanItsParts() throws IOException {
            restoreIntoLargerParts("8M @a\n5M @b\n6M @c\nREPLICA\n8M @d\n5M @e\n6M @f\n");
            lose("b", "f");
            refused(
                    "the pool uses " + (12 << 20) + " bytes of " + (19 * MIB - 2 * PAGE),
                    "restored or transformed into larger parts, or a line was changed");
        }

        /** Its number is not known: it may be all that is left of a later run. */
        @Test
        void aFileHasAnotherSizeThanItsLine() throws IOException {
            lose("b");
            Files.write(dir.resolve("f"), new byte[PAGE], StandardOpenOption.APPEND);
            refused(dir.resolve("f") + " has ", "put the line right, or move the file away");
        }
    }

    @Nested
    class NotProven {
        @Test
        void whatBothHaveDiffers() throws IOException {
            int at = 13 * MIB + MIB / 2;
            lose("b", "f");
            flip("e", inFile(at, 6 * MIB));
            int page = at & -PAGE;
            refused(
                    "part 1 of replica 1 (%s) and part 2 of replica 0 (%s) differ in image bytes %s to %s"
                            .formatted(dir.resolve("e"), dir.resolve("c"), page, page + PAGE),
                    "move the one that is wrong away");
        }

        @Test
        void theFirstPartWithAWrongHeaderHasOtherContent() throws IOException {
            flip("d", 100);
            flip("d", 5 * MIB);
            lose("b");
            refused(
                    "part 0 of replica 0 (%s) and part 0 of replica 1 (%s) differ"
                            .formatted(dir.resolve("a"), dir.resolve("d")));
        }

        /** What proves the run of a part whose first part has a wrong header are its bytes. */
        @Test
        void freeMemoryDiffersWhereTheHeaderWithTheNumberIsWrong() throws IOException {
            int at = 13 * MIB + MIB / 2;
            freeObjectsAt(at);
            byte[] whole = Files.readAllBytes(dir.resolve("e"));
            flip("d", 100);
            lose("b");
            flip("e", inFile(at, 6 * MIB));
            refused(
                    "part 1 of replica 1 (%s) and part 2 of replica 0 (%s) differ in image bytes %s to"
                            .formatted(dir.resolve("e"), dir.resolve("c"), at & -PAGE));
            Files.write(dir.resolve("e"), whole);
            Run.farheap("sync", set).succeeded();
        }

        @Test
        void aLaterPartNamesAnotherOneBeforeIt() throws IOException {
            lose("b", "f");
            changeUuid("c", 56);
            refused(
                    dir.resolve("a") + " and " + dir.resolve("c"),
                    "do not name the same part between them");
        }

        @Test
        void aLaterPartNamesAnotherReplicaBesideIt() throws IOException {
            createAnew(LINES + "REPLICA\n19M @g\n");
            lose("b", "f", "g");
            changeUuid("c", 88); // of g, which can't say that it is not its own
            refused(
                    dir.resolve("a") + " and " + dir.resolve("c"),
                    "name different replicas as their neighbours");
        }

        /** In its header, whose checksum is right. */
        private void changeUuid(String part, int offset) throws IOException {
            byte[] bytes = Files.readAllBytes(dir.resolve(part));
            bytes[offset] ^= 1;
            PoolHeader header = new PoolHeader(MemorySegment.ofArray(bytes).asSlice(0, PAGE));
            ByteBuffer.wrap(bytes)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putLong(PAGE - Long.BYTES, header.computedChecksum());
            Files.write(dir.resolve(part), bytes);
        }

        @Test
        void aShutdownStateIsWrong() throws IOException {
            lose("b", "f");
            flip("d", (int) ShutdownState.OFFSET);
            refused(dir.resolve("d") + " has a shutdown state that is wrong");
        }

        @Test
        void theNumberOfOneIsLost() throws IOException {
            lose("b", "d");
            refused(
                    "are left only in part 1 of replica 1 (%s)".formatted(dir.resolve("e")),
                    "nothing tells that it is of the same one",
                    "put the first part back");
        }

        @Test
        void oneIsOfAnotherRun() throws IOException {
            ObjectPool.at(set).layout("bank").options(PAGES).open().close();
            for (String old : List.of("d", "e")) {
                Files.write(dir.resolve(old), sound.get(old));
            }
            lose("b", "f");
            refused("is of different runs", "replica 0 (" + dir.resolve("a") + ") has number ");
        }

        @Test
        void thePoolWasNotClosed() throws IOException {
            crash();
            lose("b", "f");
            refused("the pool was not closed (" + dir.resolve("a") + ")");
        }

        @Test
        void aLogIsNotFinished() throws IOException {
            crash();
            for (String first : List.of("a", "d")) {
                byte[] bytes = Files.readAllBytes(dir.resolve(first));
                int state = (int) ShutdownState.OFFSET;
                Arrays.fill(bytes, state, state + (int) ShutdownState.SIZE, (byte) 0);
                Files.write(dir.resolve(first), bytes);
            }
            lose("b", "f");
            refused("a log of theirs is not finished");
        }

        /** In a transaction that has stored a snapshot's log. */
        private void crash() throws IOException {
            Map<String, byte[]> open = new TreeMap<>();
            try (ObjectPool pool = ObjectPool.at(set).layout("bank").options(PAGES).open()) {
                pool.transaction(
                        tx -> {
                            tx.snapshot(pool.root(1024), 512, 64);
                            try {
                                open.putAll(bytes());
                            } catch (IOException e) {
                                throw new java.io.UncheckedIOException(e);
                            }
                        });
            }
            for (Map.Entry<String, byte[]> part : open.entrySet()) {
                Files.write(dir.resolve(part.getKey()), part.getValue());
            }
        }

        @Test
        void nothingTellsWhetherItWasClosed() throws IOException {
            Run.farheap("feature", "--disable", "SHUTDOWN_STATE", set).succeeded();
            lose("b", "f");
            refused("the pool keeps no shutdown state");
        }

        @Test
        void laterPartsHaveNoHeaders() throws IOException {
            createAnew("OPTION SINGLEHDR\n" + LINES);
            lose("b", "f");
            refused("with OPTION SINGLEHDR later parts have no headers");
        }

        @Test
        void aWholeCopyOfAnotherRunIsLeft() throws IOException {
            ObjectPool.at(set).layout("bank").options(PAGES).open().close();
            sound = bytes();
            Path left = RestorationLeftovers.unfinished(dir.resolve("d"));
            byte[] older = sound.get("d").clone();
            ByteBuffer number = ByteBuffer.wrap(older).order(ByteOrder.LITTLE_ENDIAN);
            int at = (int) Descriptor.RUN_ID;
            number.putLong(at, number.getLong(at) + 2);
            Files.write(left, older);
            lose("b", "f");
            Run.farheap("sync", set)
                    .failedWith(ExitCode.BAD_DATA, left + ", which a run of sync that was cut");
            assertThat(left).hasBinaryContent(older);
            Files.write(left, sound.get("d"));
            made();
        }

        /** The same number, and what both have is the same: only the whole tells. */
        @Test
        void putTogetherItIsDamaged() throws IOException {
            int chunkHeader = (int) Descriptor.DEFAULT_HEAP_OFFSET + 1024 + 64 + 8 * 4;
            for (String first : List.of("a", "d")) {
                byte[] bytes = Files.readAllBytes(dir.resolve(first));
                Arrays.fill(bytes, chunkHeader, chunkHeader + 8, (byte) 0x77);
                Files.write(dir.resolve(first), bytes);
            }
            lose("b", "f");
            refused("put together it is damaged, or not of one moment");
        }
    }

    /** A single file of a backup would make an old replica pass for whole. */
    @Test
    void whereHeadersOfSeveralReplicasAreWrongSyncIsNamedAndNoSingleFile() throws IOException {
        flip("b", 100);
        flip("f", 100);
        PoolInspection found = PoolInspection.of(PoolSource.of(set).existing());
        String sync = "farheap sync -d " + set + " says whether the replicas have all of it";
        String backup =
                "else move all part files away, keep them, and put all files of a"
                        + " backup in place, not single ones";
        assertThat(LocalRemedy.of(found, set)).contains(sync, "check -r -d").endsWith(backup);
        assertThat(LocalRemedy.beyondRepair(found, set, true)).startsWith(sync).endsWith(backup);
        assertThat(LocalRemedy.beyondRepair(found, set, false))
                .startsWith(sync)
                .contains("says whether --advanced can")
                .endsWith(backup);
        made();
    }
}
