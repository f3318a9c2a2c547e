package io.farheap.tools.destruction;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.tools.report.Output;
import io.farheap.tools.report.Terminal;
import io.farheap.tools.survey.CopyState;
import io.farheap.tools.survey.Survey;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The removal or overwriting of copies that a command is about to do. It says what each copy holds,
 * refuses what would lose commits that no other copy has unless that copy is named, and asks; where
 * nobody can be asked the command must say so itself. Nothing may be changed before.
 */
public final class Destruction {
    private final Consent consent;
    private final Output output;
    private final BooleanSupplier asks;
    private final List<Doomed> doomed = new ArrayList<>();
    private BufferedReader answers;

    public Destruction(Consent consent, Output output) {
        this(consent, output, Terminal::asks);
    }

    /**
     * @param asks whether somebody is there who can be asked
     */
    Destruction(Consent consent, Output output, BooleanSupplier asks) {
        this.consent = consent;
        this.output = output;
        this.asks = asks;
    }

    /**
     * These copies are to go.
     *
     * @param survey of all copies of their pool
     * @param deed what is done to them, as in "is removed"
     */
    public void of(Survey survey, Collection<CopyState> gone, String deed) {
        of(survey, gone, copy -> false, deed);
    }

    /**
     * These copies are to go.
     *
     * @param goesOn whether all that a copy has stays in another one, as the command proves by
     *     itself
     */
    public void of(
            Survey survey, Collection<CopyState> gone, Predicate<CopyState> goesOn, String deed) {
        doomed.add(new Doomed(survey, List.copyOf(gone), goesOn, deed));
    }

    /**
     * Says what each copy holds.
     *
     * @throws FarheapException WRONG_USE where a copy that has to be named is not
     */
    public void show() {
        real().flatMap(one -> one.table().stream()).forEach(output::say);
        requireNames();
    }

    private Stream<Doomed> real() {
        return doomed.stream().filter(one -> !one.isEmpty());
    }

    /**
     * Says nothing.
     *
     * @throws FarheapException WRONG_USE where a copy that has to be named is not
     */
    public void requireNames() {
        requireKnown();
        Set<String> names = consent.discarded();
        List<CopyState> unnamed = real().flatMap(one -> one.unnamed(names).stream()).toList();
        if (!unnamed.isEmpty()) {
            throw refusal(unnamed);
        }
    }

    /**
     * Says what each copy holds, and goes on only where that is agreed to.
     *
     * @param question what is asked, without the question mark
     * @throws FarheapException WRONG_USE where it is not
     */
    public void require(String question) throws IOException {
        show();
        if (!doomed.stream().allMatch(Doomed::isEmpty)) {
            agree(question, "this removes or overwrites copies");
        }
    }

    /**
     * Goes on only where what no copy is lost by is agreed to.
     *
     * @param question what is asked, without the question mark
     * @param deed what is to be agreed to
     * @throws FarheapException WRONG_USE where it is not
     */
    public void agree(String question, String deed) throws IOException {
        if (consent.isGiven()) {
            return;
        }
        requireAsked(deed);
        if (!isAgreed(question)) {
            throw refusal("not agreed to: nothing was changed");
        }
    }

    /**
     * Requires that somebody is there to be asked.
     *
     * @param deed what is to be agreed to
     * @throws FarheapException WRONG_USE where nobody is, with what to type instead
     */
    public void requireAsked(String deed) {
        if (!canAsk()) {
            throw refusal(
                    deed
                            + ", and nobody is at a terminal to be asked: nothing was changed; to"
                            + " agree: "
                            + consent.command(List.of("--yes")));
        }
    }

    private boolean canAsk() {
        return !output.isJson() && asks.getAsBoolean();
    }

    /** Asks, whoever is there to answer; no answer is no. */
    public boolean isAgreed(String question) throws IOException {
        PrintWriter out = output.writer();
        out.print(question + " ? [y/N] ");
        out.flush();
        if (answers == null) {
            answers =
                    new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));
        }
        String answer = answers.readLine();
        return answer != null && answer.strip().toLowerCase(Locale.ROOT).startsWith("y");
    }

    /** A slip in a uuid must not look like an agreement. */
    private void requireKnown() {
        Set<String> known =
                doomed.stream()
                        .flatMap(one -> one.gone().stream())
                        .map(Doomed::name)
                        .collect(Collectors.toCollection(TreeSet::new));
        for (String name : consent.discarded()) {
            if (!known.contains(name)) {
                throw refusal(
                        "--discard="
                                + name
                                + " names none of the copies that would go, which are "
                                + (known.isEmpty() ? "none" : String.join(", ", known))
                                + ": nothing was changed");
            }
        }
    }

    private FarheapException refusal(List<CopyState> unnamed) {
        String which =
                unnamed.stream()
                        .map(copy -> copy.title() + " (" + copy.holds() + ")")
                        .collect(Collectors.joining(" and "));
        List<String> more = new ArrayList<>();
        if (!consent.isGiven() && !canAsk()) {
            more.add("--yes");
        }
        unnamed.forEach(copy -> more.add("--discard=" + Doomed.name(copy)));
        return refusal(
                which
                        + (unnamed.size() == 1 ? " has" : " have")
                        + " commits that no copy has which stays, or may have: nothing was changed;"
                        + " to lose them: "
                        + consent.command(more));
    }

    private static FarheapException refusal(String why) {
        return new FarheapException(Category.WRONG_USE, why);
    }
}
