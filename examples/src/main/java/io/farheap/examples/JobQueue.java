package io.farheap.examples;

import io.farheap.objects.PersistentHeap;
import io.farheap.objects.schema.Persistent;
import io.farheap.objects.schema.PersistentDeque;
import io.farheap.objects.schema.PersistentSortedMap;
import java.util.function.UnaryOperator;

/**
 * Jobs for workers in other threads. Each is done at least once: one whose worker died with the
 * process is done again.
 */
final class JobQueue {
    @Persistent
    interface Jobs {
        /** All, by number. */
        PersistentSortedMap<Long, Job> all();

        /** Those that no worker has taken yet. */
        PersistentDeque<Job> waiting();
    }

    @Persistent
    interface Job {
        long number();

        void number(long value);

        String task();

        void task(String value);

        /** Null until it is done. */
        String result();

        void result(String value);
    }

    private final PersistentHeap<Jobs> heap;

    /** Queues again what was taken and not done when the process ended. */
    JobQueue(PersistentHeap<Jobs> heap) {
        this.heap = heap;
        heap.transaction(
                jobs -> {
                    jobs.waiting().clear();
                    jobs.all().values().stream()
                            .filter(job -> job.result() == null)
                            .forEach(jobs.waiting()::add);
                });
    }

    /** The job's number; the job is safe when this returns. */
    long submit(String task) {
        return heap.compute(
                jobs -> {
                    long number = jobs.all().isEmpty() ? 1 : jobs.all().lastKey() + 1;
                    Job job = heap.create(Job.class);
                    job.number(number);
                    job.task(task);
                    jobs.all().put(number, job);
                    jobs.waiting().add(job);
                    return number;
                });
    }

    /** Waits for a job and does it, outside of any transaction: it may take its time. */
    void work(UnaryOperator<String> worker) throws InterruptedException {
        Job job = heap.root().waiting().take();
        job.result(worker.apply(job.task()));
    }

    /** Null: there is none yet. */
    String result(long number) {
        return heap.read(jobs -> jobs.all().get(number).result());
    }
}
