package io.farheap.tools.info;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** What could not be read or is not as it should be; each sentence once, and not too many. */
final class Problems {
    private static final int MOST = 100;

    private final Set<String> sentences = new LinkedHashSet<>();
    private boolean more;

    void add(String sentence) {
        if (sentences.size() < MOST) {
            sentences.add(sentence);
        } else if (!sentences.contains(sentence)) {
            more = true;
        }
    }

    boolean isEmpty() {
        return sentences.isEmpty();
    }

    List<String> sentences() {
        if (!more) {
            return List.copyOf(sentences);
        }
        List<String> all = new ArrayList<>(sentences);
        all.add("and more of these: see farheap check");
        return all;
    }
}
