package io.farheap.availability.coordinator;

/**
 * One key of a {@linkplain Coordinator#list listing}.
 *
 * @param announced whether it is there for as long as a process keeps it alive
 */
public record Listed(String key, byte[] value, boolean announced) {}
