package io.farheap.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.model.Explorer.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** With all rules nothing goes wrong; without any one of them something does. */
class ProtocolModelTest {
    private static final Path PAGE = Path.of("../docs/protocol.md");
    private static final Pattern RULE_OF_PAGE =
            Pattern.compile("(?m)^#### ([a-z-]+)\n\n\\*\\*\\[model\\]");

    static Stream<Bounds> small() {
        return IntStream.range(0, Scenarios.SMALL.size())
                .filter(i -> Boolean.getBoolean("test.deep") || i % 2 == 1)
                .mapToObj(Scenarios.SMALL::get);
    }

    static Stream<Bounds> large() {
        return Scenarios.LARGE.stream();
    }

    @ParameterizedTest
    @Tag("sliced")
    @MethodSource("small")
    void withAllRulesNothingGoesWrongAndAllComesToAnEnd(Bounds bounds) {
        Result result = Check.scenario(bounds);

        assertThat(result.trace()).isEmpty();
        assertThat(result.states()).isGreaterThan(100_000);
    }

    @ParameterizedTest
    @Tag("model")
    @MethodSource("large")
    void withAllRulesNothingGoesWrong(Bounds bounds) {
        Result result = Check.scenario(bounds);

        assertThat(result.trace()).isEmpty();
        assertThat(result.states()).isGreaterThan(1_000_000);
    }

    @Test
    void theRingNeverGetsStuck() {
        assertThat(Check.ring().trace()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void withoutARuleSomethingGoesWrong(Rule rule) {
        assertThat(Check.without(rule).violation()).isNotNull();
    }

    /** A shortest trace is the same in every run: so is how it ends. */
    @Test
    void aTraceShowsEachStepOnTheWay() {
        Result result = Check.without(Rule.REMOTE_FIRST);

        assertThat(result.violation())
                .isEqualTo("an acknowledged commit is missing on the promoted replica");
        List<String> trace = result.trace();
        assertThat(trace.get(0)).startsWith("initially");
        assertThat(trace.get(trace.size() - 1)).startsWith("PROMOTION");
        assertThat(trace).anyMatch(line -> line.startsWith("the commit returns"));
    }

    @Test
    void theRulesAreThoseOfThePage() throws IOException {
        Set<String> named = new TreeSet<>();
        Matcher rule = RULE_OF_PAGE.matcher(Files.readString(PAGE));
        while (rule.find()) {
            named.add(rule.group(1));
        }

        assertThat(Stream.of(Rule.values()).map(Rule::title).collect(Collectors.toSet()))
                .isEqualTo(named);
    }
}
