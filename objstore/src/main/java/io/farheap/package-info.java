/** What most programs use: pools, transactions, options. */
package io.farheap;
