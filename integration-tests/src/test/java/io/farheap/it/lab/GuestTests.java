package io.farheap.it.lab;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.PrintWriter;
import java.util.Arrays;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.ClassSelector;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Runs the named test classes in a guest of the lab, where there is no Maven. */
final class GuestTests {
    private GuestTests() {}

    /**
     * @param args names of classes
     */
    public static void main(String[] args) {
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(
                                        Arrays.stream(args)
                                                .map(name -> selectClass(name))
                                                .toArray(ClassSelector[]::new))
                                .filters(TagFilter.excludeTags("deep", "kills"))
                                .build(),
                        listener,
                        new Narrator());
        TestExecutionSummary summary = listener.getSummary();
        summary.printFailuresTo(new PrintWriter(System.out, true), 30);
        System.out.printf(
                "%d of %d tests passed%n",
                summary.getTestsSucceededCount(), summary.getTestsFoundCount());
        boolean good =
                summary.getTestsFoundCount() > 0
                        && summary.getTestsSucceededCount() == summary.getTestsFoundCount();
        System.exit(good ? 0 : 1);
    }

    /** Says each test's end at once: a guest that stops leaves no summary. */
    private static final class Narrator implements TestExecutionListener {
        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (test.isTest()) {
                System.out.println(result.getStatus() + " " + test.getDisplayName());
            }
        }
    }
}
