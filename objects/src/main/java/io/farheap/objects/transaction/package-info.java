/**
 * Transactions and reads of typed objects: as if each were alone (docs/objects-transactions.md).
 */
package io.farheap.objects.transaction;
