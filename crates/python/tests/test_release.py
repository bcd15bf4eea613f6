"""What scripts/release makes, packed of the builds of the tests: contents, installed files, the same bytes twice."""

import gzip
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys

import ftlkit
import pytest

from conftest import ROOT

pytest.importorskip("tomllib", reason="scripts/pack.py needs Python 3.11")
PACK = ROOT / "scripts/pack.py"
VERSION = ftlkit.__version__.split()[0]


def ran(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def release(command, tmp_path_factory):
    """Two folders of packed files, and the licences, which are made once."""
    scratch = tmp_path_factory.mktemp("release")
    licences = scratch / "third-party-licences.txt"
    licences.write_text(ran(sys.executable, ROOT / "scripts/licences.py"), encoding="utf-8")
    library = ftlkit._ftlkit.__file__
    folders = [scratch / "one", scratch / "two"]
    for folder, mask in zip(folders, (0o022, 0o077)):
        words = [sys.executable, PACK, command.program, "--licences", licences, "--out", folder, "--module", library, "--fast"]
        ran(*words, umask=mask)
    return folders, licences.read_text(encoding="utf-8")


def only(folder, pattern):
    [path] = folder.glob(pattern)
    return path


def is_whole(command, share, pages=".1", licences=".txt"):
    """Checks what lies beside a command: a page for each command, completions that bash reads, licences."""
    names = re.findall(r"^  (\w+) ", command("--help").split("Commands:")[1].split("Options:")[0], re.MULTILINE)
    assert len(names) > 15
    for name in set(names) - {"help"}:
        assert (share / f"man/man1/ftlkit-{name}{pages}").exists(), name
    ran("bash", "-n", share / "bash-completion/completions/ftlkit")
    assert (share / f"doc/ftlkit/third-party-licences{licences}").stat().st_size > 10_000


def test_two_packings_have_the_same_bytes(release):
    (one, two), _ = release
    names = sorted(path.name for path in one.iterdir())
    assert len(names) == (3 if shutil.which("dpkg-deb") else 2)
    for name in names:
        assert (one / name).read_bytes() == (two / name).read_bytes(), name


def test_licences_are_of_all_crates(release):
    _, licences = release
    of_crates = re.findall(r"^(\S+) (\d\S*)  (\S.*)$", licences.split("=" * 80)[0], re.MULTILINE)
    assert f"{len(of_crates)} crates" in licences and {"serde", "ring", "clap", "pyo3"} <= {name for name, *_ in of_crates}
    assert "pytest" not in licences and "proptest" not in {name for name, *_ in of_crates}
    titles = re.findall(f"^{'=' * 80}\n(.*)\n{'=' * 80}$", licences, re.MULTILINE)
    titled = {name for title in titles for name in title.split(", ")}
    assert {f"{name} {version}" for name, version, _ in of_crates} <= titled
    assert "Rust's standard library" in titled


def test_the_tarball_runs(release, command, tmp_path):
    (folder, _), _ = release
    ran("tar", "-xzf", only(folder, "*-linux.tar.gz"), "-C", tmp_path, "--strip-components=1")
    assert ran(tmp_path / "bin/ftlkit", "--version") == command("--version")
    is_whole(command, tmp_path / "share")


@pytest.mark.skipif(not shutil.which("dpkg-deb"), reason="dpkg-deb is missing (Debian: apt-get install dpkg)")
def test_the_deb_has_debians_paths(release, command, tmp_path):
    (folder, _), _ = release
    deb = only(folder, "*.deb")
    ran("dpkg", "-x", deb, tmp_path)
    assert ran(tmp_path / "usr/bin/ftlkit", "--version") == command("--version")
    is_whole(command, tmp_path / "usr/share", pages=".1.gz", licences=".txt.gz")
    assert (tmp_path / "usr/share/zsh/vendor-completions/_ftlkit").exists()
    rights = (tmp_path / "usr/share/doc/ftlkit/copyright").read_text(encoding="utf-8")
    assert "/usr/share/common-licenses/Apache-2.0" in rights and "Permission is hereby granted" in rights
    entry = gzip.decompress((tmp_path / "usr/share/doc/ftlkit/changelog.Debian.gz").read_bytes()).decode()
    assert entry.startswith(f"ftlkit ({VERSION}-1) ") and re.search(r"^ -- .* <.*>  \w{3}, \d\d ", entry, re.MULTILINE)
    fields = ran("dpkg-deb", "-f", deb)
    assert re.search(r"^Depends: libc6 \(>= 2\.\d+\)", fields, re.MULTILINE) and f"Version: {VERSION}-1\n" in fields
    listed = ran("dpkg-deb", "-c", deb).splitlines()
    assert all(re.match(r"(-rw-r--r--|drwxr-xr-x) root/root", line) or line.endswith("/usr/bin/ftlkit") for line in listed)


def test_the_wheel_brings_package_and_command(release, command, tmp_path):
    (folder, _), _ = release
    ran(sys.executable, "-m", "venv", tmp_path / "venv")
    of_venv = tmp_path / "venv/bin"
    clean = {"PATH": str(of_venv), "HOME": str(tmp_path)}
    ran(of_venv / "pip", "install", "--no-index", only(folder, "*.whl"), env=clean, cwd=tmp_path)
    words = ("compare", "uniform", "--capacity", "8MiB", "--requests", "5000", "--json")
    in_python = "import ftlkit; print(ftlkit.compare(ftlkit.Workload('uniform', requests=5000), capacity='8MiB').to_json())"
    printed = ran(of_venv / "ftlkit", *words, env=clean, cwd=tmp_path)
    assert printed == ran(of_venv / "python", "-c", in_python, env=clean, cwd=tmp_path) == command(*words)
    is_whole(command, tmp_path / "venv/share")
    ran(of_venv / "pip", "uninstall", "--yes", "ftlkit", env=clean, cwd=tmp_path)
    assert not (of_venv / "ftlkit").exists()


def test_the_wheels_name_says_the_glibc_that_it_needs(release, command):
    (folder, _), _ = release
    [tagged] = re.findall(r"cp310-abi3-manylinux_2_(\d+)_\w+\.whl$", only(folder, "*.whl").name)
    symbols = "".join(ran("readelf", "-W", "--dyn-syms", file) for file in (command.program, ftlkit._ftlkit.__file__))
    assert int(tagged) == max(17, *(int(minor) for minor in re.findall(r"@GLIBC_2\.(\d+)", symbols)))


def test_the_wheel_is_described_as_the_package(release):
    (folder, _), _ = release
    [described] = importlib.metadata.distributions(path=[str(only(folder, "*.whl"))])
    installed = importlib.metadata.distribution("ftlkit").metadata
    for field in ("Name", "Version", "Summary", "Requires-Python", "License-Expression", "Provides-Extra", "Classifier"):
        assert sorted(described.metadata.get_all(field)) == sorted(installed.get_all(field) or []), field
