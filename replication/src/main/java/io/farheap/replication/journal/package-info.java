/**
 * Layouts that initiator and target share: commit record, journal, slot, and the messages on the
 * data connection.
 */
package io.farheap.replication.journal;
