/**
 * The command that explores all models of this directory: {@code protocol-model/run}. It is above
 * their packages, and names each one's {@code Suite}.
 */
package io.farheap.model.run;
