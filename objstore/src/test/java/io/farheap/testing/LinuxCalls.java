package io.farheap.testing;

import io.farheap.memory.PortablePersistence;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * A test of what only Linux's system calls do. It is skipped, with the reason, where the portable
 * persistence is used.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(LinuxCalls.Condition.class)
public @interface LinuxCalls {
    /** What the portable persistence does not do. */
    String value();

    /** Skips. */
    class Condition implements ExecutionCondition {
        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            return AnnotationSupport.findAnnotation(context.getElement(), LinuxCalls.class)
                    .filter(found -> PortablePersistence.isUsed())
                    .map(found -> ConditionEvaluationResult.disabled("portable: " + found.value()))
                    .orElseGet(() -> ConditionEvaluationResult.enabled("Linux's calls"));
        }
    }
}
