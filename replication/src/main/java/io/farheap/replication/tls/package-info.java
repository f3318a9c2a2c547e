/** TLS over a socket: certificates and keys out of PEM files, the handshake, the bytes inside. */
package io.farheap.replication.tls;
