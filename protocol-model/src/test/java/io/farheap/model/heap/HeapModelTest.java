package io.farheap.model.heap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.model.Explorer.Result;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Typed objects' transactions: right with all rules, wrong without any one of them. */
class HeapModelTest {
    @ParameterizedTest
    @EnumSource
    void withAllRulesNothingGoesWrongAndAllComesToAnEnd(Script script) {
        Result result = HeapModel.explore(script);
        System.out.println(script + ": " + result.states() + " states");

        assertThat(result.trace()).isEmpty();
        assertThat(result.states()).isGreaterThan(5_000);
    }

    @ParameterizedTest
    @EnumSource
    void withoutARuleSomethingGoesWrong(HeapRule rule) {
        assertThat(HeapModel.without(rule).violation()).isNotNull();
    }
}
