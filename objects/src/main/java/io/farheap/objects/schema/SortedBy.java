package io.farheap.objects.schema;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Comparator;

/**
 * On the getter of a sorted collection: the order of its keys or elements, in place of their own.
 * The class' name is kept with the collection, and a program that has another one is refused.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface SortedBy {
    /** Has a constructor without parameters. */
    Class<? extends Comparator<?>> value();
}
