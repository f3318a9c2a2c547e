/**
 * The engine: boot, transactions on lanes, the commit pipeline, operations outside of transactions.
 */
package io.farheap.engine;
