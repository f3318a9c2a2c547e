package io.farheap.tools;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** What {@code --help} says of a command, in the macros of man(7). */
final class ManualPage {
    private static final String EXAMPLES = "Examples:";

    private final CommandLine command;
    private final CommandSpec spec;
    private final StringBuilder page = new StringBuilder();

    private ManualPage(CommandLine command) {
        this.command = command;
        this.spec = command.getCommandSpec();
    }

    /** The whole page. */
    static String of(CommandLine command) {
        return new ManualPage(command).written();
    }

    /** What the page is called, as the file is but for its section. */
    static String name(CommandLine command) {
        return command.getCommandSpec().qualifiedName("-");
    }

    private String written() {
        List<String> description = lines(spec.usageMessage().description());
        String name = name(command);
        macro(
                "TH \"%s\" 1 \"\" \"%s\" \"Farheap\"",
                escaped(name.toUpperCase(Locale.ROOT)), escaped(version()));
        macro("SH NAME");
        text(name + " - " + inLowerCase(summary(command)));
        macro("SH SYNOPSIS");
        unfilled(lines(command.getHelp().synopsis(0)));
        macro("SH DESCRIPTION");
        paragraphs(description);
        arguments();
        commands();
        exitCodes();
        footer();
        seeAlso();
        return page.toString();
    }

    private String version() {
        String[] own = spec.root().version();
        return own.length == 0 ? "farheap" : own[0];
    }

    private static String summary(CommandLine command) {
        UsageMessageSpec said = command.getCommandSpec().usageMessage();
        // picocli's own help says in a header what it is for.
        return lines(said.header().length == 0 ? said.description() : said.header()).get(0);
    }

    /** A name's line is no sentence. */
    private static String inLowerCase(String sentence) {
        String first = Character.toLowerCase(sentence.charAt(0)) + sentence.substring(1);
        return first.endsWith(".") ? first.substring(0, first.length() - 1) : first;
    }

    private void arguments() {
        List<PositionalParamSpec> parameters =
                spec.positionalParameters().stream().filter(each -> !each.hidden()).toList();
        List<OptionSpec> options =
                spec.options().stream()
                        .filter(each -> !each.hidden())
                        .sorted(Comparator.comparing(ManualPage::order))
                        .toList();
        if (parameters.isEmpty() && options.isEmpty()) {
            return;
        }
        macro("SH OPTIONS");
        for (PositionalParamSpec each : parameters) {
            argument("\\fI" + escaped(each.paramLabel()) + "\\fR", each);
        }
        for (OptionSpec each : options) {
            argument(names(each), each);
        }
    }

    private static String order(OptionSpec option) {
        return option.shortestName().replaceFirst("^-+", "").toLowerCase(Locale.ROOT);
    }

    private static String names(OptionSpec option) {
        List<String> names = new ArrayList<>();
        for (String each : option.names()) {
            names.add("\\fB" + escaped(each) + "\\fR");
        }
        String value =
                option.arity().max() == 0 ? "" : "=\\fI" + escaped(option.paramLabel()) + "\\fR";
        return String.join(", ", names) + value;
    }

    private void argument(String names, ArgSpec argument) {
        macro("TP");
        page.append(names).append('\n');
        lines(argument.description()).forEach(this::text);
    }

    private void commands() {
        if (command.getSubcommands().isEmpty()) {
            return;
        }
        macro("SH COMMANDS");
        command.getSubcommands()
                .forEach(
                        (name, each) -> {
                            macro("TP");
                            page.append("\\fB").append(escaped(name)).append("\\fR\n");
                            text(summary(each));
                        });
    }

    private void exitCodes() {
        if (spec.usageMessage().exitCodeList().isEmpty()) {
            return;
        }
        macro("SH EXIT STATUS");
        spec.usageMessage()
                .exitCodeList()
                .forEach(
                        (code, meaning) -> {
                            macro("TP");
                            page.append("\\fB").append(escaped(code)).append("\\fR\n");
                            lines(meaning).forEach(this::text);
                        });
    }

    /** Examples, of which each line is one; what stands before them belongs to the description. */
    private void footer() {
        List<String> footer = lines(spec.usageMessage().footer());
        int examples = footer.indexOf(EXAMPLES);
        List<String> notes = examples < 0 ? footer : footer.subList(0, examples);
        if (notes.stream().anyMatch(line -> !line.isBlank())) {
            macro("SH NOTES");
            paragraphs(notes);
        }
        if (examples >= 0) {
            macro("SH EXAMPLES");
            unfilled(footer.subList(examples + 1, footer.size()));
        }
    }

    private void seeAlso() {
        CommandLine root = command;
        while (root.getParent() != null) {
            root = root.getParent();
        }
        List<String> others = new ArrayList<>();
        if (root != command) {
            others.add(name(root));
        }
        for (CommandLine each : root.getSubcommands().values()) {
            if (each != command && !name(each).equals("farheap-help")) {
                others.add(name(each));
            }
        }
        macro("SH SEE ALSO");
        text(String.join("(1), ", others) + "(1)");
    }

    /** As picocli prints them: formatted, and without its marks for colours. */
    private static List<String> lines(String... formats) {
        List<String> lines = new ArrayList<>();
        for (String format : formats) {
            String said = Ansi.OFF.string(String.format(format));
            lines.addAll(List.of(said.split("\\R", -1)));
        }
        return lines;
    }

    private void paragraphs(List<String> lines) {
        for (String line : lines) {
            if (line.isBlank()) {
                macro("PP");
            } else {
                text(line);
            }
        }
    }

    private void unfilled(List<String> lines) {
        macro("nf");
        lines.stream().filter(line -> !line.isBlank()).forEach(this::text);
        macro("fi");
    }

    private void macro(String format, Object... values) {
        page.append('.').append(String.format(format, values)).append('\n');
    }

    private void text(String line) {
        String escaped = escaped(line);
        // Else a line that begins so would be a macro.
        boolean isMacro = escaped.startsWith(".") || escaped.startsWith("'");
        page.append(isMacro ? "\\&" : "").append(escaped).append('\n');
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\e").replace("-", "\\-");
    }
}
