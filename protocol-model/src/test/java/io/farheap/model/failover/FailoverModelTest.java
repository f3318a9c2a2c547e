package io.farheap.model.failover;

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
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Automatic fail-over: right with all rules, wrong without any one of them. */
class FailoverModelTest {
    private static final Path PAGE = Path.of("../docs/high-availability.md");
    private static final Pattern RULE_OF_PAGE =
            Pattern.compile("(?m)^#### ([a-z-]+)\n\n\\*\\*\\[model\\]");

    static Stream<FailoverBounds> small() {
        return FailoverScenarios.SMALL.stream();
    }

    static Stream<FailoverBounds> large() {
        return FailoverScenarios.LARGE.stream();
    }

    @ParameterizedTest
    @MethodSource("small")
    void withAllRulesNothingGoesWrong(FailoverBounds bounds) {
        Result result = FailoverModel.explore(bounds);

        assertThat(result.trace()).isEmpty();
        assertThat(result.states()).isGreaterThan(5_000);
    }

    @ParameterizedTest
    @Tag("deep")
    @MethodSource("large")
    void withAllRulesNothingGoesWrongInLargerBounds(FailoverBounds bounds) {
        Result result = FailoverModel.explore(bounds);

        assertThat(result.trace()).isEmpty();
        assertThat(result.states()).isGreaterThan(100_000);
    }

    @ParameterizedTest
    @EnumSource
    void withoutARuleSomethingGoesWrong(FailoverRule rule) {
        assertThat(FailoverModel.without(rule).violation()).isNotNull();
    }

    /** A shortest trace is the same in every run: so is how it ends. */
    @Test
    void aTraceShowsEachStepOnTheWay() {
        Result result = FailoverModel.without(FailoverRule.RECORD_BEFORE_ACK);

        assertThat(result.violation())
                .isEqualTo("an acknowledged commit is missing behind open admission");
        List<String> trace = result.trace();
        assertThat(trace.get(0)).startsWith("initially");
        assertThat(trace).anyMatch(line -> line.startsWith("goes on without a record"));
        assertThat(trace).anyMatch(line -> line.startsWith("the record names it: take-over"));
        assertThat(trace.get(trace.size() - 1)).startsWith("admission opens");
    }

    @Test
    void theRulesAreThoseOfThePage() throws IOException {
        Set<String> named = new TreeSet<>();
        Matcher rule = RULE_OF_PAGE.matcher(Files.readString(PAGE));
        while (rule.find()) {
            named.add(rule.group(1));
        }

        assertThat(Stream.of(FailoverRule.values()).map(FailoverRule::title))
                .containsExactlyInAnyOrderElementsOf(named);
        assertThat(named).hasSize(FailoverRule.values().length);
    }
}
