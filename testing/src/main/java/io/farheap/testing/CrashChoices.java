package io.farheap.testing;

import io.farheap.testing.CrashSimulation.Unsettled;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/**
 * What a power loss may leave of the words that are not durable for sure: every combination of the
 * values each may have where these are few, a seeded sample where they are many.
 */
public final class CrashChoices {
    private static final int LINE_SHIFT = 6;

    private final List<Unsettled> words;
    private final int[] choice;

    private CrashChoices(List<Unsettled> words) {
        this.words = words;
        choice = new int[words.size()];
    }

    /**
     * Calls {@code action} with one choice after another: for each word the index of its value. The
     * array is the same each time.
     *
     * @param most combinations up to which all are made
     * @param samples how many are made otherwise, besides "nothing is lost" and "everything is"
     */
    public static void of(
            List<Unsettled> words, int most, int samples, Random random, Consumer<int[]> action) {
        CrashChoices choices = new CrashChoices(words);
        if (choices.combinations(most) <= most) {
            choices.all(0, action);
        } else {
            choices.sample(samples, random, action);
        }
    }

    /** How many combinations there are; any number above {@code most} if there are more. */
    private long combinations(int most) {
        long product = 1;
        for (Unsettled word : words) {
            product *= word.values().length;
            if (product > most) {
                return product;
            }
        }
        return product;
    }

    private void all(int at, Consumer<int[]> action) {
        if (at == choice.length) {
            action.accept(choice);
            return;
        }
        for (int i = 0; i < words.get(at).values().length; i++) {
            choice[at] = i;
            all(at + 1, action);
        }
    }

    private void sample(int samples, Random random, Consumer<int[]> action) {
        everywhere(true);
        action.accept(choice);
        everywhere(false);
        action.accept(choice);
        int kind = random.nextInt(4);
        for (int i = 0; i < samples; i++) {
            switch ((kind + i) % 4) {
                case 0 -> wordByWord(random);
                case 1 -> allButOne(random);
                case 2 -> lineByLine(random);
                default -> onlyOne(random);
            }
            action.accept(choice);
        }
    }

    private void everywhere(boolean latest) {
        for (int i = 0; i < choice.length; i++) {
            choice[i] = latest ? words.get(i).values().length - 1 : 0;
        }
    }

    private void wordByWord(Random random) {
        double kept = random.nextDouble();
        for (int i = 0; i < choice.length; i++) {
            int values = words.get(i).values().length;
            choice[i] = random.nextDouble() < kept ? values - 1 : random.nextInt(values);
        }
    }

    private void allButOne(Random random) {
        everywhere(true);
        oneOf(random);
    }

    private void onlyOne(Random random) {
        everywhere(false);
        oneOf(random);
    }

    private void oneOf(Random random) {
        int at = random.nextInt(choice.length);
        choice[at] = random.nextInt(words.get(at).values().length);
    }

    /** As a cache loses them: a line is written back as a whole or not at all. */
    private void lineByLine(Random random) {
        long line = -1;
        boolean kept = false;
        for (int i = 0; i < choice.length; i++) {
            Unsettled word = words.get(i);
            if (word.offset() >> LINE_SHIFT != line) {
                line = word.offset() >> LINE_SHIFT;
                kept = random.nextBoolean();
            }
            choice[i] = kept ? word.values().length - 1 : 0;
        }
    }
}
