package io.farheap.tools.promote;

import io.farheap.agent.Promotion;
import io.farheap.base.FarheapException;
import io.farheap.poolset.PoolSetParser;
import io.farheap.poolset.PoolSetSyntaxException;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.RemoteReplicaClient;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.control.Reply;
import io.farheap.replication.session.ReplicaReport;
import java.nio.file.Files;
import java.nio.file.Path;

/** A replica that may be promoted, on this machine or through its agent. */
interface Candidate {
    /** What there is; changes nothing. */
    ReplicaReport look();

    /**
     * Promotes it.
     *
     * @param takeOver end the right of whoever has it
     * @param term the highest that it was found to have heard, and that is passed over
     */
    Reply.Promoted promote(boolean takeOver, long term);

    /**
     * @param name a poolset file here, or a replica as in a {@code REPLICA} line
     */
    static Candidate of(String name, ReplicationSettings settings) {
        Path file = Path.of(name);
        boolean remote = name.isBlank() || name.strip().indexOf(' ') > 0 && !Files.exists(file);
        return remote ? new There(remote(name.strip()), settings) : new Here(file);
    }

    private static RemoteReplica remote(String name) {
        try {
            String set = "PMEMPOOLSET\n8M /none\nREPLICA " + name.replace('\n', ' ') + "\n";
            return PoolSetParser.parse("replica", set).remoteReplicas().get(0);
        } catch (PoolSetSyntaxException | IndexOutOfBoundsException e) {
            throw FarheapException.wrongUse(
                    e,
                    "\"%s\" is neither a file here nor a replica as in a REPLICA line:"
                            + " [USER@]HOST[:PORT] NAME.set",
                    name);
        }
    }

    /** On this machine. */
    final class Here implements Candidate {
        private final Promotion promotion;

        Here(Path file) {
            this.promotion = Promotion.of(file);
        }

        @Override
        public ReplicaReport look() {
            return promotion.look();
        }

        @Override
        public Reply.Promoted promote(boolean takeOver, long term) {
            return promotion.run("farheap promote", takeOver, term);
        }
    }

    /** On another one. */
    final class There implements Candidate {
        private final RemoteReplicaClient client;

        There(RemoteReplica replica, ReplicationSettings settings) {
            this.client = new RemoteReplicaClient(replica, 0, settings);
        }

        @Override
        public ReplicaReport look() {
            return client.inspect();
        }

        @Override
        public Reply.Promoted promote(boolean takeOver, long term) {
            return client.promote(takeOver, term);
        }
    }
}
