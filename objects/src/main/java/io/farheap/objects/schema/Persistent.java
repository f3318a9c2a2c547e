package io.farheap.objects.schema;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks an interface whose instances are objects of a pool: its getters and setters are the fields.
 *
 * <p>On a record, an enum or a sealed interface of records it only gives the name; these are
 * values, and need no mark.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Persistent {
    /** The type's name in the pool; empty: the interface's own, with its package. */
    String name() default "";
}
