/**
 * A model of the commit and replication protocol, and the program that goes through all its states.
 *
 * <p>Read in this order: {@code World} (one state), {@code Commits} and its siblings (what may
 * happen in it), {@code Rule} (what must hold), {@code Explorer} (all states). Nothing of the
 * product is used.
 */
package io.farheap.model;
