package io.farheap.tools.promote;

import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.control.Reply;
import io.farheap.tools.destruction.Consent;
import io.farheap.tools.destruction.Destruction;
import io.farheap.tools.report.Output;
import io.farheap.tools.sync.Holders;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code farheap promote}. */
@Command(
        name = "promote",
        description = {
            "Makes a replica a pool of its own, where the pool it is a replica of is lost.",
            "",
            "Run on the replica's machine with its poolset file there, or anywhere with the replica"
                    + " as in its REPLICA line. Whoever writes to it is stopped first; then all records"
                    + " that reached it are applied: every commit that returned is in it. That poolset"
                    + " file is the pool's from now on, for C programs, too. The old pool, should it"
                    + " come back, is refused. Cut short, it is run again."
        },
        footer = {
            "",
            "Examples:",
            "  farheap promote -d copy.set         # what it holds; on its machine",
            "  farheap promote copy.set",
            "  farheap promote \"ada@far copy.set\"  # the same from elsewhere"
        },
        mixinStandardHelpOptions = true)
public final class PromoteCommand implements Callable<Integer> {
    @Option(
            names = {"-d", "--dry-run"},
            description = "only say what the replica holds, and what would be done")
    private boolean dryRun;

    @Option(
            names = "--take-over",
            description =
                    "end the right of a program that still has the replica: it can't commit any"
                            + " more from then on. Asks before; where nobody is at a terminal, --yes"
                            + " agrees")
    private boolean takeOver;

    @Option(
            names = "--despite-record",
            description =
                    "also one of a pool under automatic fail-over, which it leaves: for when the"
                            + " record in the store is lost for good, or no copy of its set is left")
    private boolean despiteRecord;

    @Mixin private Consent consent;

    @Mixin private Output output;

    @Parameters(
            paramLabel = "REPLICA",
            description =
                    "a replica's poolset file on this machine, or \"[USER@]HOST[:PORT] NAME.set\"")
    private String name;

    @Override
    public Integer call() throws InterruptedException, IOException {
        ReplicationSettings settings = ReplicationSettings.fromEnvironment();
        Candidate candidate = Candidate.of(name, settings);
        PromotionCheck found =
                new PromotionCheck(
                        name,
                        dryRun || takeOver
                                ? candidate.look()
                                : Holders.whenFree(name, candidate::look, settings, output::begin));
        found.requireWhole();
        output.say(found.text());
        Reply.Promoted promoted = null;
        if (found.isDone() && !(despiteRecord && found.term() != 0 && !found.isHeld())) {
            output.say(name + ": nothing is to be done");
        } else {
            if (!despiteRecord) {
                found.requireNoRecord();
            }
            output.say(PromotionCheck.UNKNOWN);
            if (dryRun) {
                sayPlan(found);
            } else {
                promoted = promote(candidate, found);
            }
        }
        if (output.isJson()) {
            output.print(PromoteResult.of(found, dryRun, promoted));
        }
        return 0;
    }

    private void sayPlan(PromotionCheck found) {
        if (found.isHeld()) {
            output.say("would end the right of " + found.report().holder() + " (--take-over)");
        }
        output.say("would apply what is not applied yet and make it a pool of its own");
        output.say(name + ": nothing was changed");
    }

    private Reply.Promoted promote(Candidate candidate, PromotionCheck found) throws IOException {
        if (!takeOver) {
            found.requireFree();
        } else if (found.isHeld()) {
            new Destruction(consent, output)
                    .agree(
                            "end the right of " + found.report().holder() + " and promote " + name,
                            "this ends the right of " + found.report().holder() + ", which lives");
        }
        Reply.Promoted promoted = candidate.promote(takeOver, found.term());
        output.say(name + ": applied " + promoted.replayed() + " records");
        output.say(name + ": promoted, a pool of its own with the number " + promoted.runId());
        return promoted;
    }
}
