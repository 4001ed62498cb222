#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes one searchable site of the documents that lie in this repository, with a gallery of the examples.

    site.py SOURCE BUILD [--reference FILE] [--sources-only]

SOURCE is the root of the repository, BUILD a folder of its own: pages go to BUILD/pages, the site to
BUILD/html. FILE is what `ancora describe --all --markdown` writes. Needs mkdocs with the theme "material", and
KaTeX for formulas, unless only the pages are made. Nothing in the site is loaded from elsewhere. Ends with 1
where a link leads nowhere, and says which.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
PACKAGES = "mkdocs mkdocs-material python3-pymdownx libjs-katex"
# Not documents of the project: what a build or a run wrote, and test data.
LEFT_OUT = ("build", "results", "node_modules", ".git")
KATEX = pathlib.Path("/usr/share/javascript/katex")
# What a page may show or link to beside other pages, in bytes: larger files are data.
MOST_BYTES = 4_000_000
LINK = re.compile(r"(?<!\\)(!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^()\s]+(?:\([^()\s]*\))?)(\s+\"[^\"]*\")?\)")
HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*\s*$")
MATH = re.compile(r"\n```math\n(.*?\n)```\n", re.S)
FENCE = re.compile(r"^\s*(```|~~~)")


def documents(source):
    """All Markdown files, relative to the root."""
    for folder, folders, names in os.walk(source):
        folders[:] = sorted(f for f in folders if f not in LEFT_OUT and not f.startswith((".", "build")))
        for name in sorted(names):
            if name.endswith(".md"):
                yield pathlib.Path(folder, name).relative_to(source)


def outside_fences(text):
    """Lines with whether they are prose, not code."""
    inside = False
    for line in text.split("\n"):
        if FENCE.match(line):
            inside = not inside
            yield line, False
        else:
            yield line, not inside and not line.startswith("    ")


class Pages:
    def __init__(self, source, pages):
        self.source = source
        self.pages = pages
        self.documents = set(documents(source))
        self.copied = set()
        self.lost = []

    def write(self):
        for document in sorted(self.documents):
            text = (self.source / document).read_text(encoding="utf-8")
            out = []
            for line, is_prose in outside_fences(text):
                out.append(LINK.sub(lambda m: self.link(document, m), line) if is_prose else line)
            self.put(document, MATH.sub(r"\n$$\1$$\n", "\n".join(out)))

    def put(self, name, text):
        path = self.pages / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def link(self, document, match):
        before, target, title = match[1], match[2], match[3] or ""
        if re.match(r"[a-z]+:|#", target):
            return match[0]
        path, _, anchor = target.partition("#")
        found = pathlib.Path(os.path.normpath(document.parent / path))
        if (self.source / found).is_dir():
            index = found / "README.md"
            if index not in self.documents:
                # a folder without a page: the text stays
                return re.sub(r"^!?\[(.*)\]\($", r"\1", before, flags=re.S)
            found = index
        if found not in self.documents and not self.copy(found):
            self.lost.append(f"{document}: {target}")
            return match[0]
        relative = os.path.relpath(found, document.parent)
        return f"{before}{relative}{'#' + anchor if anchor else ''}{title})"

    def copy(self, name):
        """A picture, a model or a source that a page leads to."""
        path = self.source / name
        if not path.is_file() or path.stat().st_size > MOST_BYTES:
            return False
        if name not in self.copied:
            self.copied.add(name)
            (self.pages / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, self.pages / name)
        return True


def title_of(text):
    for line in text.split("\n"):
        if heading := HEADING.match(line):
            return re.sub(r"[`*]", "", heading[2])
    return ""


def first_paragraph(text):
    """The prose under the title, as it is, without pictures."""
    lines = []
    for line, is_prose in outside_fences(text):
        if HEADING.match(line) or line.startswith("![") or not is_prose:
            if lines:
                break
            continue
        if not line.strip():
            if lines:
                break
            continue
        lines.append(line.strip())
    return " ".join(lines)


def shortened(text, most=180):
    """Whole sentences, at least one."""
    out = ""
    for sentence in re.split(r"(?<=[.:])\s+(?=[A-Z])", text):
        if out and len(out) + len(sentence) > most:
            break
        out += (" " if out else "") + sentence
    return out[:-1] + "." if out.endswith(":") else out


def picture_of(folder):
    """Of an example: what its report shows, else another picture."""
    names = sorted(p.name for p in folder.iterdir() if p.suffix in (".png", ".svg"))
    for name in ("report.png", "picture.png", "picture.svg", *names):
        if name in names:
            return name
    return None


def gallery(pages):
    """A page of all examples with a picture each; those without one behind."""
    shown, plain = [], []
    for document in sorted(pages.documents):
        if document.parts[0] != "examples" or len(document.parts) != 3 or document.name != "README.md":
            continue
        text = (pages.source / document).read_text(encoding="utf-8")
        inside = document.parent.relative_to("examples")
        # links of the paragraph are of the example's own folder
        told = LINK.sub(lambda m: re.sub(r"^!?\[(.*)\]\($", r"\1", m[1], flags=re.S), shortened(first_paragraph(text)))
        name = picture_of(pages.source / document.parent)
        if name is not None:
            pages.copy(document.parent / name)
            shown.append(f"-   [![{title_of(text)}]({inside}/{name}){{ loading=lazy }}]({inside}/README.md)\n\n"
                         f"    **[{title_of(text)}]({inside}/README.md)**\n\n    {told}\n")
        else:
            plain.append(f"- [{title_of(text)}]({inside}/README.md): {told}")
    pages.put(pathlib.Path("examples/gallery.md"),
              "---\nhide: [navigation, toc]\n---\n\n# Gallery\n\nEach picture leads to the model, its equations and its results.\n\n"
              '<div class="gallery" markdown>\n\n' + "\n".join(shown) + "\n</div>\n\n"
              "## Studies, programs and plugins\n\n" + "\n".join(plain) + "\n")
    return len(shown) + len(plain)


def search_without_server(html):
    """Lets a site that is opened as a file search, too: there nothing may be fetched and no worker started from a
    file, so that the theme shows no field. The index and the worker's text come as a script instead."""
    (worker,) = (html / "assets/javascripts/workers").glob("search.*.js")
    index = (html / "search/search_index.json").read_text(encoding="utf-8")
    (html / "search/offline.js").write_text(
        f"window.__search = {{ index: Promise.resolve({index}),\n  worker: URL.createObjectURL(new Blob("
        f"[{json.dumps(worker.read_text(encoding='utf-8'))}], {{ type: 'text/javascript' }})) }};\n", encoding="utf-8")
    bundle = re.compile(r'<script src="([^"]*)assets/javascripts/bundle\.')
    for page in html.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        page.write_text(bundle.sub(lambda m: (
            "<script>if (location.protocol === 'file:') document.write("
            f"'<script src=\"{m[1]}search/offline.js\"><\\/script>')</script>{m[0]}"), text), encoding="utf-8")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    arguments.add_argument("source", type=pathlib.Path)
    arguments.add_argument("build", type=pathlib.Path)
    arguments.add_argument("--reference", type=pathlib.Path)
    arguments.add_argument("--sources-only", action="store_true")
    given = arguments.parse_args()

    folder = given.build / "pages"
    shutil.rmtree(folder, ignore_errors=True)
    pages = Pages(given.source.resolve(), folder)
    pages.write()
    examples = gallery(pages)
    if given.reference is not None:
        pages.put(pathlib.Path("reference.md"), given.reference.read_text(encoding="utf-8"))
    else:
        pages.put(pathlib.Path("reference.md"),
                  "# Reference\n\n`ancora describe --all --markdown` writes it from the types themselves.\n")
    for name in ("site.css", "formulas.js"):
        shutil.copyfile(HERE / name, folder / name)
    shutil.copyfile(HERE / "mkdocs.yml", given.build / "mkdocs.yml")
    for lost in pages.lost:
        print(f"site: a link leads nowhere: {lost}", file=sys.stderr)
    if pages.lost:
        return 1
    print(f"site: {len(pages.documents)} documents, {examples} examples, {len(pages.copied)} files")
    if given.sources_only:
        return 0
    if shutil.which("mkdocs") is None or not KATEX.is_dir():
        print("site: needs mkdocs and KaTeX (Debian: " + PACKAGES + ")", file=sys.stderr)
        return 1
    shutil.copytree(KATEX, folder / "katex", ignore=shutil.ignore_patterns("*.mjs", "katex.js", "katex.css", "*.ttf"))
    html = (given.build / "html").resolve()
    built = subprocess.run(["mkdocs", "build", "--quiet", "--strict", "--clean", "--config-file", given.build / "mkdocs.yml",
                            "--site-dir", html], check=False)
    if built.returncode == 0:
        search_without_server(html)
    return built.returncode


if __name__ == "__main__":
    sys.exit(main())
