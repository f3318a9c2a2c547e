package io.farheap.tools;

import io.farheap.tools.backup.BackupCommand;
import io.farheap.tools.backup.RestoreCommand;
import io.farheap.tools.demo.DemoCommand;
import io.farheap.tools.failover.HaCommand;
import io.farheap.tools.failover.PlaceCommand;
import io.farheap.tools.failover.PoolsCommand;
import io.farheap.tools.failover.RunCommand;
import io.farheap.tools.info.InfoCommand;
import io.farheap.tools.info.ReportCommand;
import io.farheap.tools.objects.DumpCommand;
import io.farheap.tools.objects.LoadCommand;
import io.farheap.tools.objects.ReclaimCommand;
import io.farheap.tools.objects.TypesCommand;
import io.farheap.tools.poolset.PoolSetCommand;
import io.farheap.tools.promote.PromoteCommand;
import io.farheap.tools.status.StatusCommand;
import io.farheap.tools.sync.SyncCommand;
import io.farheap.tools.top.TopCommand;
import io.farheap.tools.transform.TransformCommand;
import io.farheap.tools.verify.VerifyCommand;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The commands by name, in the order in which the help lists them.
 *
 * <p>picocli finds out a command's options by reflection; for all of them that takes longer than
 * most commands run. So what is not named is left out, or known by its description alone.
 */
final class Commands {
    private record Entry(String name, Class<?> type) {}

    private static final List<Entry> ALL =
            List.of(
                    new Entry("create", CreateCommand.class),
                    new Entry("info", InfoCommand.class),
                    new Entry("check", CheckCommand.class),
                    new Entry("status", StatusCommand.class),
                    new Entry("report", ReportCommand.class),
                    new Entry("top", TopCommand.class),
                    new Entry("reload", ReloadCommand.class),
                    new Entry("verify", VerifyCommand.class),
                    new Entry("poolset", PoolSetCommand.class),
                    new Entry("feature", FeatureCommand.class),
                    new Entry("types", TypesCommand.class),
                    new Entry("dump", DumpCommand.class),
                    new Entry("load", LoadCommand.class),
                    new Entry("reclaim", ReclaimCommand.class),
                    new Entry("rm", RmCommand.class),
                    new Entry("sync", SyncCommand.class),
                    new Entry("transform", TransformCommand.class),
                    new Entry("promote", PromoteCommand.class),
                    new Entry("ha", HaCommand.class),
                    new Entry("pools", PoolsCommand.class),
                    new Entry("place", PlaceCommand.class),
                    new Entry("run", RunCommand.class),
                    new Entry("recover", RecoverCommand.class),
                    new Entry("backup", BackupCommand.class),
                    new Entry("restore", RestoreCommand.class),
                    new Entry("agent", AgentCommand.class),
                    new Entry("demo", DemoCommand.class),
                    new Entry("help", HelpCommand.class));

    private Commands() {}

    /** The whole of {@code farheap}. */
    static CommandLine all() {
        CommandLine farheap = new CommandLine(new Farheap());
        ALL.forEach(entry -> addTo(farheap, entry));
        return farheap;
    }

    /** What these words need of it: to them there is no difference. */
    static CommandLine neededFor(List<String> words) {
        // A file of words may name anything.
        if (words.stream().anyMatch(word -> word.startsWith("@"))) {
            return all();
        }
        String first = words.isEmpty() ? "" : words.get(0);
        CommandLine farheap = new CommandLine(new Farheap());
        for (Entry entry : ALL) {
            if (first.equals(entry.name()) && entry.type() != HelpCommand.class) {
                return addTo(farheap, entry);
            }
        }
        for (Entry entry : ALL) {
            if (words.contains(entry.name())) {
                addTo(farheap, entry);
            } else {
                farheap.addSubcommand(entry.name(), described(entry.type()));
            }
        }
        return farheap;
    }

    private static CommandLine addTo(CommandLine farheap, Entry entry) {
        farheap.addSubcommand(entry.name(), entry.type());
        if (entry.type() == AgentCommand.class) {
            farheap.getSubcommands().get(entry.name()).setUnmatchedOptionsArePositionalParams(true);
        }
        return farheap;
    }

    /** As the list of commands shows it. */
    private static CommandSpec described(Class<?> type) {
        CommandSpec spec = CommandSpec.create();
        Command said = type.getAnnotation(Command.class);
        spec.usageMessage().header(said.header()).description(said.description());
        return spec;
    }
}
