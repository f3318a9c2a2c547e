package io.farheap.objects.type;

import io.farheap.objects.transaction.HeapTransactions;
import io.farheap.objects.value.ObjectReferences;

/** The open heap that stored types belong to. */
public interface HeapContext extends ObjectReferences {
    HeapTransactions transactions();
}
