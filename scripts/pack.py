#!/usr/bin/env python3
"""Packs a built command as a tarball and a .deb, and with the Python package's library as a wheel.

    scripts/pack.py COMMAND --licences FILE --out DIR [--module FILE]

COMMAND is a build with all features: it writes its manual pages and completions itself. The same input makes the same bytes;
SOURCE_DATE_EPOCH is the time of all files (default: that of the last commit). Needs Python 3.11, `readelf`, and `dpkg-deb` for the .deb.
"""

import argparse
import base64
import email.utils
import gzip
import hashlib
import io
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "crates/python"
#: The glibc that Rust's library needs.
OLDEST = (2, 17)
COMPLETIONS = {
    "bash": "bash-completion/completions/ftlkit",
    "zsh": "zsh/site-functions/_ftlkit",
    "fish": "fish/vendor_completions.d/ftlkit.fish",
}
#: Where Debian has them.
OF_DEBIAN = {
    "zsh/site-functions/_ftlkit": "zsh/vendor-completions/_ftlkit",
    "doc/ftlkit/CHANGELOG.md": "doc/ftlkit/changelog",
}


def output(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True, cwd=ROOT).stdout


def shared(command, licences):
    """What lies beside the command below `share/`: names and contents."""
    files = {f"doc/ftlkit/{name}": (ROOT / name).read_bytes() for name in ("README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE")}
    files["doc/ftlkit/third-party-licences.txt"] = licences.read_bytes()
    for shell, name in COMPLETIONS.items():
        files[name] = output(command, "completions", shell).encode()
    with tempfile.TemporaryDirectory() as pages:
        output(command, "man", "--pages", pages)
        files |= {f"man/man1/{page.name}": page.read_bytes() for page in pathlib.Path(pages).iterdir()}
    return files


def needs(program):
    """The newest version of glibc whose symbols a program takes, and the libraries that it names."""
    versions = re.findall(r"Name: GLIBC_(\d+)\.(\d+)", output("readelf", "--version-info", "--wide", program))
    libraries = re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "--dynamic", "--wide", program))
    return max((int(major), int(minor)) for major, minor in versions), libraries


def compressed(content, level=9):
    return gzip.compress(content, level, mtime=0)


def tarball(path, files, epoch, level):
    """A tar.gz of names, contents and modes."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, (content, mode) in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode, entry.mtime, entry.uname, entry.gname = len(content), mode, epoch, "root", "root"
            tar.addfile(entry, io.BytesIO(content))
    path.write_bytes(compressed(packed.getvalue(), level))


def debian(folder, version, command, share, epoch, fast):
    """The .deb, of the folder `usr/` as Debian has it: pages and long texts compressed."""
    architecture = output("dpkg", "--print-architecture").strip()
    glibc, libraries = needs(command)
    depends = [f"libc6 (>= {glibc[0]}.{glibc[1]})"] + ["libgcc-s1"] * ("libgcc_s.so.1" in libraries)
    files = {"usr/bin/ftlkit": command.read_bytes()}
    for name, content in share.items():
        name = OF_DEBIAN.get(name, name)
        if name.startswith("man/") or name.endswith(("changelog", "licences.txt")):
            name, content = f"{name}.gz", compressed(content)
        if "LICENSE-" not in name:
            files[f"usr/share/{name}"] = content
    rights = b"ftlkit is licensed under MIT or Apache-2.0, at your choice.\n/usr/share/common-licenses/Apache-2.0 is the latter; the former:\n\n"
    files["usr/share/doc/ftlkit/copyright"] = rights + share["doc/ftlkit/LICENSE-MIT"]
    maintainer = f"{os.environ.get('DEBFULLNAME', 'The authors of ftlkit')} <{os.environ.get('DEBEMAIL', 'nobody@localhost')}>"
    # A packaging of its own, since the changelog is that of the program.
    revision = f"{version}-1"
    entry = f"ftlkit ({revision}) unstable; urgency=low\n\n  * Release {version}; changelog.gz tells its changes.\n\n"
    entry += f" -- {maintainer}  {email.utils.formatdate(epoch)}\n"
    files["usr/share/doc/ftlkit/changelog.Debian.gz"] = compressed(entry.encode())
    control = {
        "Package": "ftlkit", "Version": revision, "Architecture": architecture, "Maintainer": maintainer, "Section": "science",
        "Priority": "optional", "Depends": ", ".join(depends), "Installed-Size": -(-sum(map(len, files.values())) // 1024),
        "Description": "simulator of flash translation layers and their worst-case bounds\n"
        " It replays block traces over NAND flash translation layers and garbage\n"
        " collectors, holds each to the bound that it promises, and calculates bounds.",
    }  # fmt: skip
    files["DEBIAN/control"] = "".join(f"{key}: {value}\n" for key, value in control.items()).encode()
    sums = [f"{hashlib.md5(files[name]).hexdigest()}  {name}\n" for name in sorted(files) if name.startswith("usr/")]
    files["DEBIAN/md5sums"] = "".join(sums).encode()
    with tempfile.TemporaryDirectory() as scratch:
        tree = pathlib.Path(scratch, "ftlkit")
        for name, content in files.items():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_bytes(content)
            (tree / name).chmod(0o755 if name == "usr/bin/ftlkit" else 0o644)
        for path in [tree, *tree.rglob("*")]:
            if path.is_dir():
                path.chmod(0o755)
            os.utime(path, (epoch, epoch))
        how = ["-Zgzip", "-z1"] if fast else ["-Zxz"]
        output("dpkg-deb", "--build", "--root-owner-group", *how, tree, folder / f"ftlkit_{revision}_{architecture}.deb")


def metadata(version):
    """METADATA of the wheel, and its oldest Python as 310, of crates/python/pyproject.toml."""
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = ["Metadata-Version: 2.4", f"Name: {project['name']}", f"Version: {version}", f"Summary: {project['description']}"]
    lines += [f"Requires-Python: {project['requires-python']}", f"License-Expression: {project['license']}"]
    lines += [f"Classifier: {classifier}" for classifier in project["classifiers"]]
    for extra, needed in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(f"Requires-Dist: {name}; extra == '{extra}'" for name in needed)]
    readme = (PACKAGE / project["readme"]).read_text(encoding="utf-8")
    text = "\n".join([*lines, "Description-Content-Type: text/markdown", "", readme])
    return text.encode(), project["requires-python"].removeprefix(">=").replace(".", "")


def wheel(folder, version, command, library, share, epoch, level):
    """The wheel: the package, the command as a script, and its pages where `man` of that environment looks."""
    info, data = f"ftlkit-{version}.dist-info", f"ftlkit-{version}.data"
    described, python = metadata(version)
    # The oldest glibc that both run on; musl and other libraries are of no such tag.
    glibc = max(needs(command)[0], needs(library)[0], OLDEST)
    tag = f"cp{python}-abi3-manylinux_{glibc[0]}_{glibc[1]}_{os.uname().machine}"
    files = {f"{info}/METADATA": described}
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: ftlkit\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    for file in (PACKAGE / "python/ftlkit").iterdir():
        if file.suffix in (".py", ".pyi", ".typed"):
            files[f"ftlkit/{file.name}"] = file.read_bytes()
    files["ftlkit/_ftlkit.abi3.so"] = library.read_bytes()
    files |= {f"{data}/data/share/{name}": content for name, content in share.items()}
    files[f"{data}/scripts/ftlkit"] = command.read_bytes()
    digests = {name: base64.urlsafe_b64encode(hashlib.sha256(content).digest()) for name, content in sorted(files.items())}
    record = [f"{name},sha256={digest.decode().rstrip('=')},{len(files[name])}\n" for name, digest in digests.items()]
    files[f"{info}/RECORD"] = "".join([*record, f"{info}/RECORD,,\n"]).encode()
    with zipfile.ZipFile(folder / f"ftlkit-{version}-{tag}.whl", "w") as packed:
        for name in [*digests, f"{info}/RECORD"]:
            entry = zipfile.ZipInfo(name, time.gmtime(epoch)[:6])
            entry.create_system = 3
            entry.external_attr = (stat.S_IFREG | (0o755 if name == f"{data}/scripts/ftlkit" else 0o644)) << 16
            packed.writestr(entry, files[name], zipfile.ZIP_DEFLATED, level)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("command", type=pathlib.Path)
    options.add_argument("--licences", type=pathlib.Path, required=True, help="what scripts/licences.py printed")
    options.add_argument("--out", type=pathlib.Path, required=True, help="folder of the files")
    options.add_argument("--module", type=pathlib.Path, help="lib_ftlkit.so, for the wheel")
    options.add_argument("--fast", action="store_true", help="compress little: for tests")
    asked = options.parse_args()
    level = 1 if asked.fast else 9
    command, folder = asked.command.resolve(), asked.out.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or output("git", "log", "-1", "--format=%ct"))
    os.environ["SOURCE_DATE_EPOCH"] = str(epoch)
    version = output(command, "--version").split()[1]
    share = shared(command, asked.licences.resolve())
    top = f"ftlkit-{version}-{os.uname().machine}-linux"
    files = {f"{top}/share/{name}": (content, 0o644) for name, content in share.items()}
    files[f"{top}/bin/ftlkit"] = (command.read_bytes(), 0o755)
    tarball(folder / f"{top}.tar.gz", files, epoch, level)
    if shutil.which("dpkg-deb"):
        debian(folder, version, command, share, epoch, asked.fast)
    else:
        print("SKIPPED: the .deb: dpkg-deb is missing (Debian: apt-get install dpkg)")
    if asked.module:
        wheel(folder, version, command, asked.module.resolve(), share, epoch, level)


if __name__ == "__main__":
    main()
