package io.farheap.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.AutoComplete;
import picocli.CommandLine;

/**
 * What a package installs under {@code share} for those who type: manual pages, and completion for
 * bash and zsh. Run when the distribution is built.
 */
final class ManualPages {
    private static final String ZSH_BEGINS =
            """
            #compdef farheap
            autoload -Uz +X bashcompinit && bashcompinit
            """;

    private final Path share;

    private ManualPages(Path share) {
        this.share = share;
    }

    /**
     * @param args the directory {@code share}, which gets what it lacks
     */
    public static void main(String[] args) throws IOException {
        new ManualPages(Path.of(args[0])).write(Commands.all());
    }

    private void write(CommandLine farheap) throws IOException {
        Path pages = Files.createDirectories(share.resolve("man/man1"));
        page(pages, farheap);
        for (CommandLine each : farheap.getSubcommands().values()) {
            page(pages, each);
        }
        String completion = AutoComplete.bash("farheap", farheap);
        Path bash = Files.createDirectories(share.resolve("bash-completion/completions"));
        Files.writeString(bash.resolve("farheap"), completion);
        Path zsh = Files.createDirectories(share.resolve("zsh/site-functions"));
        Files.writeString(zsh.resolve("_farheap"), ZSH_BEGINS + completion);
    }

    private static void page(Path pages, CommandLine command) throws IOException {
        Files.writeString(pages.resolve(ManualPage.name(command) + ".1"), ManualPage.of(command));
    }
}
