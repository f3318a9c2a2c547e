package io.farheap.tools.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.PrintWriter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** How every command answers: in sentences for a person, or with one JSON object for a program. */
public final class Output {
    @Option(names = "--json", description = "print one JSON object")
    private boolean json;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    private final Console console;

    /** To where picocli sends what the command says. */
    public Output() {
        this(null);
    }

    /** In sentences. */
    public Output(Console console) {
        this.console = console;
    }

    public boolean isJson() {
        return json;
    }

    public PrintWriter writer() {
        return console != null ? console.out() : command.commandLine().getOut();
    }

    public PrintWriter errors() {
        return console != null ? console.err() : command.commandLine().getErr();
    }

    /** A line for a person, who sees it at once. */
    public void say(String line) {
        if (!json) {
            writer().println(line);
            writer().flush();
        }
    }

    /** What is done from now on, and may take a while. */
    public void begin(String step) {
        say("now: " + step);
    }

    /** The record's components for a program, indented. */
    public void print(Record result) throws JsonProcessingException {
        JsonMapper mapper = JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
        writer().println(mapper.writeValueAsString(result));
        writer().flush();
    }

    /** For facts that both are told. */
    public Report report() {
        return Report.to(writer(), json);
    }

    /** A word that stands out where there are colours. */
    public String toned(Tone tone, String word) {
        return hasColours() ? tone.paint(word) : word;
    }

    /** Whether the help of the command has them, too. */
    public boolean hasColours() {
        return !json
                && (console != null
                        ? console.colours()
                        : command.commandLine().getColorScheme().ansi().enabled());
    }
}
