"""The site's pages beside the rest of the tree: README.md is its first page, and what a page links to outside of
docs/ is taken along as it is."""

import os
import re

from mkdocs.structure.files import File

LINK = re.compile(r"\[([^\]]*)\]\(([^)#:\s]+)(#[^)\s]*)?\)")


def on_config(config):
    config["root"] = os.path.dirname(config["docs_dir"])
    return config


def on_files(files, config):
    add(files, config, "docs-site/wide.css", "wide.css")
    add(files, config, "README.md", "index.md")
    pages = list(files.documentation_pages())
    while pages:
        for target in outside(pages.pop()):
            file = add(files, config, target, "tree/" + target)
            if file and file.is_documentation_page():
                pages.append(file)
    return files


def on_page_read_source(page, config):
    if page.file.src_uri == "index.md":
        return text(page.file)
    return None


def on_page_markdown(markdown, page, config, files):
    def moved(link):
        target = in_tree(page.file, link[2])
        if os.path.isdir(os.path.join(config["root"], target)):
            return link[1]
        if target.startswith("docs/"):
            uri = target[len("docs/") :]
        elif target == "README.md":
            uri = "index.md"
        else:
            uri = "tree/" + target
        here = os.path.dirname(page.file.src_uri)
        return f"[{link[1]}]({os.path.relpath(uri, here or '.')}{link[3] or ''})"

    return LINK.sub(moved, markdown)


def text(file):
    with open(file.abs_src_path, encoding="utf-8") as source:
        return source.read()


def in_tree(file, link):
    """A link's target, from the root of the tree."""
    if file.src_uri == "index.md":
        folder = ""
    elif file.src_uri.startswith("tree/"):
        folder = os.path.dirname(file.src_uri[len("tree/") :])
    else:
        folder = os.path.dirname("docs/" + file.src_uri)
    return os.path.normpath(os.path.join(folder, link))


def outside(file):
    for link in LINK.finditer(text(file)):
        target = in_tree(file, link[2])
        if not target.startswith("docs/") and target != "README.md":
            yield target


def add(files, config, source, uri):
    """What a link names, where it is a file that is not there yet."""
    path = os.path.join(config["root"], source)
    if uri in files.src_uris or os.path.isdir(path):
        return None
    file = File(uri, config["root"], config["site_dir"], use_directory_urls=False)
    file.abs_src_path = path
    files.append(file)
    return file
