package io.farheap.it.language

import io.farheap.ObjectPool
import io.farheap.TransactionOptions
import java.io.IOException

private const val BALANCE = 0L

/** A program as one writes it in Kotlin, without a type that Kotlin must be told. KotlinTest compiles and runs it. */
class Ledger(private val pool: ObjectPool) {
    private val account = pool.root(64) { it.setLong(BALANCE, 100) }

    fun deposit(amount: Long) {
        pool.transaction { tx -> tx.setLong(account, BALANCE, tx.getLong(account, BALANCE) + amount) }
    }

    fun withdraw(amount: Long): Long =
        pool.compute { tx ->
            val left = tx.getLong(account, BALANCE) - amount
            tx.setLong(account, BALANCE, left)
            if (left < 0) throw IOException("$left")
            left
        }

    fun report(): String =
        pool.compute(TransactionOptions.DEFAULT) { tx -> "balance ${tx.getLong(account, BALANCE)}" }

    fun close() {
        pool.transaction(TransactionOptions.DEFAULT) { tx ->
            tx.setLong(account, BALANCE, 0)
            tx.getLong(account, BALANCE)
        }
    }
}
