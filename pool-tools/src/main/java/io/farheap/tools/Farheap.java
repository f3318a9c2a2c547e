package io.farheap.tools;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code farheap} command: libpmempool's counterpart, with replicas on other machines. */
@Command(
        name = "farheap",
        description = "Works on pools: persistent heaps in libpmemobj's format, replicas included.",
        mixinStandardHelpOptions = true,
        version = "farheap 0.1.0",
        exitCodeListHeading = "%nExit codes, of every command:%n",
        exitCodeList = {
            "0:done; for check: the pool is consistent",
            "1:bad data: a file is damaged, cut off, foreign or not what was asked for, or the"
                    + " poolset file has a mistake; for check: not consistent; for info: something is"
                    + " wrong or can't be read, the rest is printed; for verify: copies differ that"
                    + " must be equal, or one is broken",
            "2:wrong use: an argument is wrong, or does not fit what is there",
            "3:environment: file missing or in use, no permission, disk full",
            "4:replica: the target cannot be reached, or refuses",
            "5:status, verify: a copy is not current, or can't be looked at; pools: one wants"
                    + " attention; place: a copy is to move, or nothing can be proposed",
            "70:a fault of this program; FARHEAP_TRACE=1 shows where"
        },
        footer = {
            "",
            "On failure one sentence on standard error says what is wrong, where, and what to do;"
                    + " nothing was changed, unless it says so, or the command was cut: then sync,"
                    + " transform, check -r and rm have done a part of their work, and go on when"
                    + " they are given again (rm with -f)."
        })
final class Farheap implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing");
    }
}
