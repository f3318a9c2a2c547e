package io.farheap.model;

import io.farheap.model.Bounds.Fault;
import io.farheap.model.World.Committer;
import java.util.Arrays;

/** The promoted copy becomes the old local pool again: docs/protocol.md#promotion-and-return. */
final class Failbacks {
    private final Step step;

    Failbacks(Step step) {
        this.step = step;
    }

    void events(World world) {
        boolean ended = world.phase == World.REFUSED || world.phase == World.DOWN;
        for (int r = 0; r < world.replicas; r++) {
            if (ended
                    && world.left[Fault.FAILBACK.ordinal()] > 0
                    && world.targets[r].state == Target.PROMOTED) {
                begin(world, r);
            }
            if (world.phase == World.FAILBACK && World.has(world.wanted, r)) {
                goOn(world, r);
            }
        }
    }

    private void begin(World world, int r) {
        World after = step.from(world);
        after.left[Fault.FAILBACK.ordinal()]--;
        for (int x = 0; x < world.replicas; x++) {
            after.cut(x, false);
        }
        after.forgetRun();
        for (Committer committer : after.committers) {
            committer.reset();
        }
        if (step.holds(Rule.FAILBACK_MARKER)) {
            after.number = 0;
        }
        after.phase = World.FAILBACK;
        after.wanted = 1 << r;
        after.links[r].need = World.ALL_WORDS;
        ObservedHistory history = after.history;
        history.givenUp = 1;
        history.committed = world.targets[r].promotedWith;
        history.acknowledged &= history.committed;
        System.arraycopy(world.targets[r].image, 0, history.image, 0, World.WORDS);
        history.rollBackUndecided();
        step.then("failback begins: nobody can open the local pool", r, after);
    }

    private void goOn(World world, int r) {
        int need = world.links[r].need;
        if (need != 0) {
            for (int word = 0; word < World.WORDS; word++) {
                if (World.has(need, word)) {
                    World after = step.from(world);
                    after.seen[word] = world.targets[r].image[word];
                    after.links[r].need &= ~(1 << word);
                    step.then("failback copies a word", word, after);
                }
            }
        } else if (world.next == 0) {
            World after = step.from(world);
            after.next = ++after.fresh;
            if (step.holds(Rule.FAILBACK_FLUSH)) {
                System.arraycopy(world.seen, 0, after.medium, 0, World.WORDS);
            }
            after.targets[r].next = after.next;
            step.then("failback: local pool flushed, next durable there", r, after);
        } else if (world.targets[r].next == world.next) {
            World after = step.from(world);
            after.number = world.next;
            after.forgetRun();
            step.then("failback: the local pool can be opened, L = next", r, after);
        }
    }

    /** For who looks at a trace. */
    static String image(int[] image) {
        return Arrays.toString(image).replaceAll("[\\[\\] ]", "");
    }
}
