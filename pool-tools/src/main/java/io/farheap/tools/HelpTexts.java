package io.farheap.tools;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The help of each command in a file, without and with colours, which the launcher of a
 * distribution prints without Java. Run when that is built.
 */
final class HelpTexts {
    private HelpTexts() {}

    /**
     * @param args the directory that gets them
     */
    public static void main(String[] args) throws IOException {
        Path help = Files.createDirectories(Path.of(args[0]));
        write(help, "farheap", "--help"); // no command's name
        for (String command : Commands.all().getSubcommands().keySet()) {
            write(help, command, "help", command);
        }
    }

    private static void write(Path help, String name, String... words) throws IOException {
        Files.writeString(help.resolve(name + ".txt"), text(false, words));
        Files.writeString(help.resolve(name + ".colours"), text(true, words));
    }

    private static String text(boolean colours, String... words) {
        StringWriter text = new StringWriter();
        PrintWriter writer = new PrintWriter(text);
        int exitCode = Main.run(writer, writer, colours, words);
        if (exitCode != ExitCode.OK) {
            throw new IllegalStateException(List.of(words) + ": " + text);
        }
        return text.toString();
    }
}
