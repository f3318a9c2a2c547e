/** The command. */
module io.farheap.tools {
    requires io.farheap;
    requires io.farheap.agent;
    requires io.farheap.availability;
    requires io.farheap.objects;
    requires io.farheap.poolset;
    requires io.farheap.replication;
    requires com.fasterxml.jackson.annotation;
    requires com.fasterxml.jackson.core;
    requires com.fasterxml.jackson.databind;
    requires info.picocli;
    requires java.management;
    requires java.xml;
    requires jdk.httpserver;
    requires me.tongfei.progressbar;

    opens io.farheap.tools to
            com.fasterxml.jackson.databind,
            info.picocli;
    opens io.farheap.tools.backup to
            com.fasterxml.jackson.databind,
            info.picocli;
    opens io.farheap.tools.command to
            info.picocli;
    opens io.farheap.tools.demo to
            com.fasterxml.jackson.databind,
            info.picocli,
            io.farheap.objects;
    opens io.farheap.tools.destruction to
            com.fasterxml.jackson.databind,
            info.picocli;
    opens io.farheap.tools.failover to
            info.picocli;
    opens io.farheap.tools.info to
            com.fasterxml.jackson.databind,
            info.picocli;
    opens io.farheap.tools.objects to
            com.fasterxml.jackson.databind,
            info.picocli;
    opens io.farheap.tools.poolset to
            com.fasterxml.jackson.databind,
            info.picocli;
    opens io.farheap.tools.promote to
            com.fasterxml.jackson.databind,
            info.picocli;
    opens io.farheap.tools.report to
            com.fasterxml.jackson.databind,
            info.picocli;
    opens io.farheap.tools.status to
            com.fasterxml.jackson.databind,
            info.picocli;
    opens io.farheap.tools.survey to
            com.fasterxml.jackson.databind;
    opens io.farheap.tools.sync to
            com.fasterxml.jackson.databind,
            info.picocli;
    opens io.farheap.tools.top to
            info.picocli;
    opens io.farheap.tools.transform to
            com.fasterxml.jackson.databind,
            info.picocli;
    opens io.farheap.tools.verify to
            com.fasterxml.jackson.databind,
            info.picocli;
}
