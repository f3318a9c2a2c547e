package io.farheap.objects.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each story holds; and each rule, taken away, spoils the story that is named for it. */
class MistakesTest {
    /** A story, and the mistakes that spoil it. */
    enum Story {
        COMMIT_UNDER_WAY(
                Scenarios::aReadSeesNothingOfACommitUnderWay,
                Mistake.NO_HISTORY,
                Mistake.HISTORY_AFTER_STORE,
                Mistake.NO_LOOK_AT_CLOCK,
                Mistake.LOOKS_AT_WATERMARK),
        COMMIT_BETWEEN_LOOKS(
                Scenarios::aReadSeesNothingOfACommitBetweenItsLooks, Mistake.NO_SECOND_LOOK),
        COMMIT_BEFORE_LOOK_AT_CLOCK(
                Scenarios::aReadSeesNothingOfACommitBeforeItLooksAtTheClock,
                Mistake.NO_LOOK_AT_CLOCK),
        LONG_READ(
                Scenarios::aReadSeesOneInstantHoweverLong,
                Mistake.DROPS_TOO_EARLY,
                Mistake.NO_LOOK_AT_CLOCK),
        LONG_READS(
                Scenarios::readsOfDifferentInstantsEachSeeTheirs,
                Mistake.DROPS_TOO_EARLY,
                Mistake.DROPS_BETWEEN,
                Mistake.NO_LOOK_AT_CLOCK),
        VERSION_TAKEN(Scenarios::aReadDoesNotCountOnACommitUnderWay, Mistake.CLOCK_FOR_WATERMARK),
        OLDER_UNDER_WAY(
                Scenarios::aReadDoesNotSkipAnOlderCommitUnderWay, Mistake.FINISHES_OUT_OF_ORDER),
        AFTER_RETURN(Scenarios::whatBeginsAfterACommitSeesIt, Mistake.RETURNS_BEFORE_FINISHED),
        WRITE_SKEW(Scenarios::twoDoNotBothActOnWhatTheOtherChanges, Mistake.NO_VALIDATION),
        LOST_UPDATE(Scenarios::noUpdateIsLostBetweenLookAndLock, Mistake.LOCKS_BLINDLY),
        FAILED_COMMIT(
                Scenarios::aReadSeesNothingOfACommitThatFails, Mistake.OLD_WORDS_AFTER_FAILURE),
        FREED(
                Scenarios::aReadSeesWhatWasFreedAndUsedAgain,
                Mistake.NO_HISTORY,
                Mistake.FREE_LEAVES_WORD,
                Mistake.NO_LOOK_AT_CLOCK),
        GLANCE_BETWEEN_LOOKS(
                Scenarios::aGlanceSeesNothingOfACommitBetweenItsLooks, Mistake.NO_SECOND_LOOK),
        GLANCE_OVERTAKEN(
                Scenarios::aGlanceSeesOneInstant,
                Mistake.GOES_ON_OVERTAKEN,
                Mistake.FORGETS_OVERTAKEN),
        GLANCE_OF_FREED(
                Scenarios::aGlanceSeesNothingOfWhatWasFreedAndUsedAgain,
                Mistake.GOES_ON_OVERTAKEN,
                Mistake.FREE_LEAVES_WORD,
                Mistake.NO_LOOK_AT_CLOCK),
        STORE_IN_FREED(Scenarios::aStoreInWhatIsBeingFreedIsAConflict, Mistake.FREE_LEAVES_WORD);

        private final Consumer<Scenarios> play;
        private final Set<Mistake> spoilers;

        Story(Consumer<Scenarios> play, Mistake... spoilers) {
            this.play = play;
            this.spoilers = EnumSet.copyOf(Arrays.asList(spoilers));
        }
    }

    @TempDir Path directory;
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void endThreads() {
        threads.shutdownNow();
    }

    @ParameterizedTest
    @EnumSource(Story.class)
    void everyStoryHolds(Story story) {
        play(story, Mistake.NONE, true);
    }

    @ParameterizedTest
    @EnumSource(Story.class)
    void everyStoryHoldsWhereReadsAskStripesOnly(Story story) {
        play(story, Mistake.NONE, false);
    }

    @ParameterizedTest
    @EnumSource(value = Mistake.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void everyMistakeSpoilsItsStories(Mistake mistake) {
        Story[] spoiled =
                Arrays.stream(Story.values())
                        .filter(story -> story.spoilers.contains(mistake))
                        .toArray(Story[]::new);
        assertThat(spoiled).isNotEmpty();
        for (Story story : spoiled) {
            assertThatThrownBy(() -> play(story, mistake, mistake.isOfClock()))
                    .as("%s with %s", story, mistake)
                    .isInstanceOf(AssertionError.class);
        }
    }

    private void play(Story story, Mistake mistake, boolean looksAtClock) {
        Path file = directory.resolve(story + "-" + mistake);
        try (ObjectPool pool = ObjectPool.at(file).layout("stories").size(32 << 20).create()) {
            PlantedHeap heap = new PlantedHeap(pool, mistake, looksAtClock);
            story.play.accept(new Scenarios(heap, threads));
            assertThat(heap.transactions.counters().historyBytes()).isZero();
            heap.transactions.close();
        }
    }
}
