package io.farheap.objects.schema;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * On a getter or a record's component: the names that the field had before it was renamed. No other
 * field of its object or record may have one of them, or have had it.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.RECORD_COMPONENT})
public @interface Named {
    /** The former names. */
    String[] value();
}
