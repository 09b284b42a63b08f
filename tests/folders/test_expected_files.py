"""What a ticket expects is looked for where it may lie, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_company.domain.expecting import is_expectation
from hermes_company.folders.expected_files import not_found


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A workdir with a few files, and one outside of it."""
    work = tmp_path / "work"
    for name in (
        "index.html",
        "dist/a.js",
        "dist/deep/页面.html",
        ".hidden",
        "node_modules/x/index.css",
        'it\'s: done; "really".txt',
    ):
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).touch()
    (tmp_path / "secret.txt").touch()
    (work / "out").symlink_to(tmp_path)
    (work / "gone").symlink_to(tmp_path / "nothing")
    (work / "here.html").symlink_to(work / "index.html")
    return work


@pytest.mark.parametrize(
    "pattern",
    [
        "index.html",
        "dist",
        "dist/",
        "dist/*.js",
        "*.html",
        "d?st/a.[jt]s",
        "**/*.html",
        "**/页面.html",
        "dist/**",
        "**",
        ".hidden",
        ".h*",
        "node_modules/x/*.css",
        "here.html",
        'it\'s: done; "really".txt',
    ],
)
def test_what_is_there_is_found(place: Path, pattern: str) -> None:
    """A path, or a pattern in any of its parts; hidden files and what tools keep for themselves by name only."""
    assert is_expectation(pattern)
    assert not_found([pattern], [place]) == ()


@pytest.mark.parametrize(
    "pattern",
    ["none.html", "dist/*.html", "*.js", "**/*.css", "*idden", "index.html/x", "out/secret.txt", "out", "out/*.txt", "gone"],
)
def test_what_is_not_there_is_not(place: Path, pattern: str) -> None:
    """Nothing matches, or what matches lies outside, behind a link, or is a link to nothing."""
    assert is_expectation(pattern)
    assert not_found([pattern], [place]) == (pattern,)


def test_any_of_the_folders_will_do(place: Path, tmp_path: Path) -> None:
    """Workdir or outbox; a folder that is missing is an empty one."""
    other = tmp_path / "outbox"
    other.mkdir()
    (other / "report.pdf").touch()
    patterns = ["index.html", "report.pdf", "none"]

    assert not_found(patterns, [place, other, tmp_path / "missing"]) == ("none",)


def test_a_huge_folder_is_looked_through_a_bounded_way(tmp_path: Path) -> None:
    """What lies behind more than 20,000 entries counts as not there, instead of holding the loop up; its path leads there."""
    folder = tmp_path
    for _ in range(21):
        for number in range(1_000):
            (folder / f"{number}").touch()
        folder /= "next"
        folder.mkdir()
    (folder / "needle").touch()

    assert not_found(["**/needle"], [tmp_path]) == ("**/needle",)
    assert not_found(["next/" * 21 + "needle", "**/next"], [tmp_path]) == ()


@pytest.mark.parametrize(
    "word",
    [
        "",
        "/etc/passwd",
        "~/x",
        "../x",
        "a/../../x",
        "a/..",
        "./x",
        ".",
        "a//b",
        "C:\\x",
        "a\\b",
        "$HOME/x",
        "{a,b}",
        "a**b",
        "a[b",
        "a\nb",
        "a\0b",
        "http://x",
        "C:/x",
        "x" * 201,
    ],
)
def test_forms_that_are_not_known_are_none(word: str) -> None:
    """What leads out, or what a shell would read in another way than we do, is not a path that can be expected."""
    assert not is_expectation(word)
