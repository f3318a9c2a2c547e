package io.farheap.it.sync;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Whether verify and promote say of copies what status says of them. */
final class OneJudgement {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Of a remote copy that promote makes a pool of. */
    private static final Set<String> WHOLE =
            Set.of("CURRENT", "STALE", "NOT_COMPARABLE", "TAKEN_OVER");

    /** Of one that it can't make one of. */
    private static final Set<String> NOT_WHOLE =
            Set.of("EMPTY", "INCOMPLETE", "BROKEN", "OPENED_ON_TARGET", "UNREACHABLE", "REFUSED");

    /** What {@link JsonNode} lines a command printed, and how it ended. */
    record Said(int exitCode, String out) {
        JsonNode copies() {
            try {
                JsonNode all = JSON.readTree(out);
                return all == null || all.get("replicas") == null ? null : all.get("replicas");
            } catch (JsonProcessingException e) {
                throw new IllegalArgumentException(out, e);
            }
        }
    }

    private OneJudgement() {}

    /**
     * @param status {@code farheap status --json}
     * @param verify {@code farheap verify --json}, where nobody changed bytes
     * @param promote the exit code of {@code farheap promote -d} of the one remote copy
     * @return a sentence for each contradiction
     */
    static List<String> contradictions(Said status, Said verify, int promote) {
        List<String> wrong = new ArrayList<>();
        if ((status.exitCode() == 0) != (verify.exitCode() == 0)) {
            wrong.add("status ends with " + status.exitCode() + ", verify " + verify.exitCode());
        }
        JsonNode copies = status.copies();
        JsonNode compared = verify.copies();
        for (int i = 0; copies != null && i < copies.size(); i++) {
            JsonNode copy = copies.get(i);
            if (compared != null) {
                compare(copy, compared.get(i), wrong);
            }
            if (!copy.get("host").asText().isEmpty()) {
                comparePromotion(copy, promote == 0, wrong);
            }
        }
        return wrong;
    }

    private static void compare(JsonNode copy, JsonNode found, List<String> wrong) {
        String verdict = copy.get("verdict").asText();
        String finding = found.get("finding").asText();
        boolean equal = finding.equals("EQUAL") && !verdict.equals("CURRENT");
        boolean current =
                verdict.equals("CURRENT") && !Set.of("EQUAL", "NOT_COMPARED").contains(finding);
        boolean broken = verdict.equals("BROKEN") && !finding.equals("BROKEN");
        if (equal || current || broken) {
            wrong.add("status: " + copy + ", verify: " + found);
        }
    }

    private static void comparePromotion(JsonNode copy, boolean promoted, List<String> wrong) {
        String verdict = copy.get("verdict").asText();
        boolean complete = copy.get("explanation").asText().endsWith("it is a complete one");
        boolean unknown = verdict.equals("UNKNOWN");
        boolean refused = promoted && (NOT_WHOLE.contains(verdict) || unknown && !complete);
        boolean can = !promoted && (WHOLE.contains(verdict) || unknown && complete);
        if (refused || can) {
            wrong.add("status: " + copy + ", promote " + (promoted ? "does it" : "refuses it"));
        }
    }
}
