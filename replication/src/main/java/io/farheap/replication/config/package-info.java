/**
 * What a user sets: settings from environment variables, the {@code .replication} file beside a
 * poolset file, policies of single replicas, the pace of scrubbing.
 */
package io.farheap.replication.config;
