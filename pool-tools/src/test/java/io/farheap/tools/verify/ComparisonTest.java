package io.farheap.tools.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.replication.config.Pacer;
import io.farheap.replication.control.ByteRange;
import io.farheap.replication.session.ImageSums;
import io.farheap.replication.session.SharedBytes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Copies that differ, and copies that are lost while they are compared. */
class ComparisonTest {
    private static final long IMAGE = 40L << 20;
    private static final long START = SharedBytes.of(IMAGE).getLast().offset() + 4096;

    private final MemorySegment right = Arena.ofAuto().allocate(IMAGE, 8);

    private static Copy copy(MemorySegment image) {
        return (from, length, chunk) -> ImageSums.of(image, from, length, chunk);
    }

    /** The right image, other words at each of these. */
    private MemorySegment other(long... offsets) {
        MemorySegment image = Arena.ofAuto().allocate(IMAGE, 8).copyFrom(right);
        for (long offset : offsets) {
            image.set(ValueLayout.JAVA_LONG, offset, 1 + offset);
        }
        return image;
    }

    /** Fails with every question after so many. */
    private static Copy dyingAfter(int questions, MemorySegment image) {
        int[] asked = new int[1];
        return (from, length, chunk) -> {
            if (asked[0]++ >= questions) {
                throw new FarheapException(Category.REPLICA, "replica far x.set: it is lost");
            }
            return ImageSums.of(image, from, length, chunk);
        };
    }

    private static ComparedCopy against(Copy copy) {
        return new ComparedCopy(copy, true, List.of());
    }

    private static void compare(Copy reference, ComparedCopy... others) {
        new Comparison(reference, Meaningful.everything(), List.of(others), bytes -> {})
                .run(IMAGE, Pacer.UNLIMITED);
    }

    private long[] words(int count, long last) {
        long[] offsets = new long[count];
        for (int i = 0; i < count - 1; i++) {
            offsets[i] = START + 128L * i;
        }
        offsets[count - 1] = last;
        return offsets;
    }

    @Test
    void aLostCopyIsSaidAndTheOthersAreCompared() {
        ComparedCopy lost = against(dyingAfter(1, right));
        ComparedCopy late = against(copy(other(IMAGE - 64)));
        compare(copy(right), lost, late);
        assertThat(lost.isLost()).isTrue();
        assertThat(lost.whyLost()).isEqualTo("replica far x.set: it is lost");
        assertThat(late.isLost()).isFalse();
        assertThat(late.places()).containsExactly(new ByteRange(IMAGE - 64, 8));
    }

    @Test
    void oneThatIsLostInTheMiddleOfAPageIsLost() {
        ComparedCopy lost = against(dyingAfter(2, other(START)));
        compare(copy(right), lost);
        assertThat(lost.isLost()).isTrue();
    }

    @Test
    void aLostReferenceIsNotTakenForALostCopy() {
        for (int questions = 0; questions < 6; questions++) {
            Copy reference = dyingAfter(questions, right);
            ComparedCopy other = against(copy(other(START)));
            assertThatThrownBy(() -> compare(reference, other))
                    .isInstanceOf(Comparison.LostReferenceException.class)
                    .hasMessageContaining("replica far x.set");
            assertThat(other.isLost()).isFalse();
        }
    }

    @Test
    void contentIsOfAllPlacesAndNotOfTheFirstOnly() {
        int many = ComparedCopy.MOST + 500;
        ComparedCopy one = against(copy(other(words(many, IMAGE - 64))));
        ComparedCopy same = against(copy(other(words(many, IMAGE - 64))));
        ComparedCopy elsewhere = against(copy(other(words(many, IMAGE - 128))));
        ComparedCopy fewer = against(copy(other(words(many - 1, IMAGE - 64))));
        MemorySegment image = other(words(many, IMAGE - 64));
        image.set(ValueLayout.JAVA_LONG, IMAGE - 64, -1);
        ComparedCopy otherwise = against(copy(image));

        compare(copy(right), one, same, elsewhere, fewer, otherwise);

        assertThat(one.places()).hasSize(ComparedCopy.MOST);
        assertThat(otherwise.places()).isEqualTo(one.places());
        assertThat(same.content()).isEqualTo(one.content());
        assertThat(List.of(elsewhere, fewer, otherwise))
                .allSatisfy(other -> assertThat(other.content()).isNotEqualTo(one.content()));
        assertThat(
                        Judgement.of(List.of(voter(0, one), voter(1, otherwise), voter(2, fewer)))
                                .right())
                .isEmpty();
        assertThat(
                        Judgement.of(List.of(voter(0, one), voter(1, otherwise), voter(2, same)))
                                .right())
                .containsExactly(0, 2);
    }

    private static Judgement.Voter voter(int place, ComparedCopy against) {
        return new Judgement.Voter(place, against.content(), null);
    }

    @Test
    void whatWasFoundEqualHasTheContentOfTheReference() {
        ComparedCopy equal = against(copy(other()));
        compare(copy(right), equal);
        assertThat(equal.content()).isEqualTo(Content.SAME);
        assertThat(equal.placeCount()).isZero();
    }
}
