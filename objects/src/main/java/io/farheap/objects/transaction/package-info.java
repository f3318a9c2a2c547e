/** Serializable transactions and snapshot reads of typed objects (docs/objects-transactions.md). */
package io.farheap.objects.transaction;
