package io.farheap.objects.schema;

import java.util.concurrent.BlockingDeque;

/**
 * A queue with two ends in the pool, without a bound; thread-safe. Elements are not null.
 *
 * <p>Inside a transaction or read each call is part of that. Outside, each call is one of its own,
 * and what a changing call did is durable when it returns. One thread that adds at one end and one
 * that takes at the other conflict only while the queue is short.
 *
 * <p>{@code take} and {@code poll} with a time wait for a commit of this process that adds
 * something. Nothing can be committed within a transaction or read: there {@code take} of an empty
 * queue throws {@link io.farheap.base.FarheapException} WRONG_USE and {@code poll} returns null at
 * once. {@code put} and {@code offer} never wait.
 *
 * <p>An iterator returns what was there when it was made. {@code size} is exact.
 */
public interface PersistentDeque<E> extends BlockingDeque<E> {}
