package io.farheap.tools.info;

import java.io.StringWriter;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** Elements and text of a page, escaped. */
final class Markup {
    private static final int UNPRINTABLE = 0xFFFD;

    private final StringWriter text = new StringWriter();
    private final XMLStreamWriter out;

    Markup() {
        try {
            out = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(text);
        } catch (XMLStreamException e) {
            throw new IllegalStateException(e);
        }
    }

    private interface Writing {
        void run() throws XMLStreamException;
    }

    private Markup write(Writing writing) {
        try {
            writing.run();
            return this;
        } catch (XMLStreamException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Begins an element, up to its {@link #end}.
     *
     * @param attributes names and values in turn
     */
    Markup begin(String element, Object... attributes) {
        return write(
                () -> {
                    out.writeStartElement(element);
                    for (int i = 0; i < attributes.length; i += 2) {
                        out.writeAttribute(
                                attributes[i].toString(), printable(attributes[i + 1].toString()));
                    }
                });
    }

    Markup end() {
        return write(out::writeEndElement);
    }

    Markup text(String words) {
        return write(() -> out.writeCharacters(printable(words)));
    }

    /** An element with nothing but text in it. */
    Markup element(String name, String words, Object... attributes) {
        return begin(name, attributes).text(words).end();
    }

    /** A line of its own in what is written. */
    Markup newLine() {
        return write(() -> out.writeCharacters("\n"));
    }

    /** A pool may have any characters in its names; a page must not. */
    private static String printable(String words) {
        return words.codePoints()
                .map(
                        c ->
                                Character.isISOControl(c) && c != '\n' || isSurrogate(c)
                                        ? UNPRINTABLE
                                        : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private static boolean isSurrogate(int point) {
        return point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE;
    }

    @Override
    public String toString() {
        write(out::flush);
        return text.toString();
    }
}
