/**
 * Poolset files as libpmemobj writes them: model, parser with messages that name line and column,
 * writer.
 */
package io.farheap.poolset;
