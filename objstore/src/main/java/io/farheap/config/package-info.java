/** {@code ctl} queries: libpmemobj's named settings and counters, by name. */
package io.farheap.config;
