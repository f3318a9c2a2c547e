package io.farheap.examples

import io.farheap.objects.PersistentHeap
import io.farheap.objects.schema.Persistent
import io.farheap.objects.schema.PersistentList
import io.farheap.objects.schema.PersistentSortedMap
import java.nio.file.Path
import java.time.LocalDate

/** What lies in the file: found from here. */
@Persistent
interface Shelf {
    val books: PersistentSortedMap<String, Book>
    var finished: Long
}

@Persistent
interface Book {
    var title: String
    var pages: Int
    var isFinished: Boolean
    val notes: PersistentList<Note>

    fun line() = "$title, $pages pages" + (if (isFinished) ", finished" else "") + notes.joinToString("") { "\n    ${it.text}" }
}

/** A value: it lies where the list has it. */
@JvmRecord data class Note(val day: LocalDate, val text: String)

/** Books, in a file that outlives the program. Each command is one transaction or one read. */
class ReadingList(private val heap: PersistentHeap<Shelf>) {
    fun add(title: String, pages: Int) {
        heap.transaction { shelf ->
            shelf.books[title] =
                heap.create(Book::class.java) {
                    it.title = title
                    it.pages = pages
                }
        }
    }

    fun note(title: String, text: String) {
        heap.transaction { shelf -> shelf.book(title).notes += Note(LocalDate.now(), text) }
    }

    /** How many there are by now: once each, however often it is said. */
    fun finish(title: String): Long =
        heap.compute { shelf ->
            val book = shelf.book(title)
            if (!book.isFinished) {
                book.isFinished = true
                shelf.finished++
            }
            shelf.finished
        }

    fun text(): String =
        heap.read { shelf -> shelf.books.values.joinToString("\n", postfix = "\n${shelf.finished} finished") { it.line() } }

    private fun Shelf.book(title: String) = books[title] ?: throw NoSuchElementException("There is no book $title.")
}

private const val USAGE = "Say FILE (list | add TITLE PAGES | note TITLE TEXT | finish TITLE)."

fun main(args: Array<String>) {
    require(args.size >= 2) { USAGE }
    PersistentHeap.openOrCreate(Path.of(args[0]), 16L shl 20, Shelf::class.java).use { heap ->
        val list = ReadingList(heap)
        when (args[1] to args.size) {
            "list" to 2 -> println(list.text())
            "add" to 4 -> list.add(args[2], args[3].toInt())
            "note" to 4 -> list.note(args[2], args[3])
            "finish" to 3 -> println("${list.finish(args[2])} finished")
            else -> throw IllegalArgumentException(USAGE)
        }
    }
}
