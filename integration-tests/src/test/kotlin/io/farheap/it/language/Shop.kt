package io.farheap.it.language

import io.farheap.objects.schema.Persistent
import io.farheap.objects.PersistentHeap
import io.farheap.objects.schema.PersistentMap
import java.io.IOException
import java.util.function.Supplier

@Persistent
interface Stock {
    val items: PersistentMap<String, Item>
    var sold: Long
}

@Persistent
interface Item {
    var name: String
    var left: Int
    var price: Price?
    var isOnOffer: Boolean
}

@JvmRecord data class Price(val cents: Long, val currency: String)

/** Typed objects as one writes them in Kotlin, without a type that Kotlin must be told. KotlinTest compiles and runs it. */
class Shop : Supplier<String> {
    override fun get(): String =
        PersistentHeap.inMemory(Stock::class.java).use { heap ->
            heap.transaction { stock ->
                stock.items["tea"] =
                    heap.create(Item::class.java) {
                        it.name = "tea"
                        it.left = 3
                        it.price = Price(250, "EUR")
                        it.isOnOffer = true
                    }
            }
            val left =
                heap.compute { stock ->
                    val tea = stock.items["tea"]!!
                    tea.left -= 1
                    stock.sold++
                    tea.left
                }
            val failure =
                runCatching {
                    heap.transaction { stock ->
                        stock.sold = 100
                        throw IOException("closed")
                    }
                }.exceptionOrNull()
            heap.read { stock ->
                val tea = stock.items["tea"]!!
                "$left ${stock.sold} ${tea.price} ${tea.isOnOffer} ${failure?.message}"
            }
        }
}
