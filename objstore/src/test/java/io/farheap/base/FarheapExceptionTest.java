package io.farheap.base;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.FarheapException.Category;
import org.junit.jupiter.api.Test;

class FarheapExceptionTest {
    @Test
    void eachCategoryHasItsFactory() {
        assertThat(FarheapException.wrongUse("a").category()).isEqualTo(Category.WRONG_USE);
        assertThat(FarheapException.badData("a").category()).isEqualTo(Category.BAD_DATA);
        assertThat(FarheapException.environment("a").category()).isEqualTo(Category.ENVIRONMENT);
        assertThat(FarheapException.replica("a").category()).isEqualTo(Category.REPLICA);
    }

    @Test
    void aMessageHasItsValuesWhateverIsInThem() {
        FarheapException thrown =
                FarheapException.environment("%s of %s bytes, 100%% full", "50%s.part", 1L << 40);

        assertThat(thrown).hasMessage("50%s.part of 1099511627776 bytes, 100% full").hasNoCause();
    }

    @Test
    void aCauseIsKept() {
        Throwable cause = new IllegalStateException("why");

        assertThat(FarheapException.badData(cause, "%s ends here", "a.part"))
                .hasMessage("a.part ends here")
                .hasCause(cause);
        assertThat(FarheapException.wrongUse(cause, "x").category()).isEqualTo(Category.WRONG_USE);
        assertThat(FarheapException.environment(cause, "x").getCause()).isSameAs(cause);
        assertThat(FarheapException.replica(cause, "x").getCause()).isSameAs(cause);
    }
}
