"""Comparisons: the command's numbers, its errors, and results as Python's values."""

import json

import ftlkit
import pytest

from conftest import SMALL


def test_the_report_is_the_commands_to_the_byte(command, toml):
    printed = command("run", toml(SMALL), "--json", "--quiet")
    assert ftlkit.compare(**SMALL).to_json() + "\n" == printed
    assert ftlkit.run(toml(SMALL)).to_json() + "\n" == printed


@pytest.mark.parametrize(
    "keys",
    [
        {"workload": "uniform", "capacity": "64MiB", "channels": 4, "ways": 2, "part": "ddt-mlc", "schemes": ["page-level"]},
        {**SMALL, "deadline": "3ms", "precondition": "full+age=1", "seed": 7},
        {**SMALL, "part": {"base": "toshiba-slc", "t_bers_ns": "2ms"}, "timing": "closed"},
    ],
)
def test_any_key_of_a_file_is_an_argument(command, toml, keys):
    keys = {**keys, "workload": {"name": "uniform", "requests": 3000}}
    assert ftlkit.compare(**keys).report == json.loads(command("run", toml(keys), "--json", "--quiet"))


def test_values_stand_for_texts_and_tables():
    texts = ftlkit.compare(
        {"name": "zipf", "requests": 2000, "parameters": {"theta": 0.9}},
        part={"base": "toshiba-slc", "t_bers_ns": "2ms"},
        schemes=["lazy-rtgc+share=0.5+idle", "page-level"],
        capacity="64MiB",
    )
    values = ftlkit.compare(
        ftlkit.Workload("zipf", requests=2000, theta=0.9),
        part=ftlkit.Part("toshiba-slc", t_bers_ns="2ms"),
        schemes=[ftlkit.Scheme("lazy-rtgc", share=0.5, idle=True), "page-level"],
        capacity="64MiB",
    )
    assert texts.to_json() == values.to_json()
    assert ftlkit.Scheme("a", x=1) == ftlkit.Scheme("a", x=1) != ftlkit.Scheme("a", x=2)
    assert repr(ftlkit.Workload("zipf", theta=1)) == "Workload('zipf', theta=1)"


def test_schemes_may_be_one_text():
    found = ftlkit.compare("uniform", schemes="page-level, lazy-rtgc", capacity="8MiB")
    assert [scheme.name for scheme in found] == ["page-level", "lazy-rtgc"]


def test_results_are_plain_values():
    found = ftlkit.compare(**SMALL)
    lazy = found["lazy-rtgc"]
    assert lazy.violations == 0 and lazy.response_ns.max <= lazy.bound_ns == lazy["bound_ns"]
    assert lazy.response_ns.p99_9 == lazy.response_ns["p99.9"]
    assert found[0] is found.schemes[0] and len(found) == 2
    assert not (found.interrupted or found.bound_exceeded or found.deadline_missed or found.failures)
    with pytest.raises(AttributeError, match="there is no figure `wav`"):
        lazy.wav  # noqa: B018
    with pytest.raises(KeyError, match="no scheme is called `fsr`"):
        found["fsr"]


def test_texts_of_the_command(command, toml):
    found = ftlkit.compare(**SMALL)
    assert str(found) in command("run", toml(SMALL), "--quiet")
    assert found.text(details=True) in command("run", toml(SMALL), "--details", "--quiet")
    html = found._repr_html_()
    assert "lazy-rtgc" in html and "✓" in html and html.startswith("<table>")
    assert ("device" in dict(found.summary())) and "capacity" in found.experiment()


def test_a_scheme_that_cannot_is_told(command):
    late = ftlkit.compare(**SMALL, deadline="1us")
    assert late.deadline_missed


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"schemas": ["fsr"]}, "there is no key `schemas`; did you mean `schemes`?"),
        ({"schemes": ["lazy"]}, "no scheme is called `lazy`"),
        ({"part": "toshiba"}, "no part is called `toshiba`"),
        ({"workload": "unifrom"}, "no file or workload is called `unifrom`; did you mean `uniform`?"),
        ({"capacity": "much"}, "`much`"),
        ({"seed": 2**64}, "does not fit into 63 bits"),
        ({"seed": object()}, "seed: a value of type object is none"),
        ({"schemes": []}, "schemes: is empty"),
        ({"precondition": "ful"}, "ful"),
    ],
)
def test_faults_are_told_as_by_the_command(keys, said):
    with pytest.raises(ftlkit.InputError) as caught:
        ftlkit.compare(**keys)
    assert said in str(caught.value)
    assert isinstance(caught.value, (ftlkit.Error, ValueError))


@pytest.mark.parametrize(
    "keys",
    [
        {"schemes": ["lazy-rtgc+share=0.95"]},
        {"schemes": ["fsr", "fsr"]},
        {"schemes": ["page-level+victim=gredy"]},
        {"capacity": "1KiB"},
        {"workload": "unifrom"},
        {"channels": 4, "part": "evaluation-slc"},
        {"workload": {"name": "zipf", "parameters": {"theta": "x"}}},
    ],
)
def test_the_text_is_the_commands(command, toml, keys):
    with pytest.raises(ftlkit.InputError) as caught:
        ftlkit.compare(**keys)
    printed = command("run", toml(keys), fails=True).removeprefix("error: ")
    # A fault of the file itself names the file and its line, and shows it.
    what = printed.split("\n")[0].split(".toml:")[-1].split(": ", 1)[-1] if ".toml:" in printed else printed.rstrip()
    assert what in str(caught.value)


def test_files_are_those_of_the_command(command, toml, tmp_path):
    found = ftlkit.compare(**SMALL)
    found.save(tmp_path / "python")
    command("run", toml(SMALL), "--out", tmp_path / "command", "--quiet")
    names = {path.name for path in (tmp_path / "command").iterdir()}
    assert {"report.json", "experiment.toml", "summary.csv"} <= names
    assert names == {path.name for path in (tmp_path / "python").iterdir()}
    report = json.loads((tmp_path / "command/report.json").read_text())
    assert report["configuration"]["experiment"].pop("out") == str(tmp_path / "command")
    assert report == json.loads((tmp_path / "python/report.json").read_text())
    for name in names - {"report.json"}:
        assert (tmp_path / "python" / name).read_bytes() == (tmp_path / "command" / name).read_bytes(), name
    with pytest.raises(ftlkit.InputError, match="holds the results of another run"):
        found.save(tmp_path / "python")
    found.save(tmp_path / "python", force=True)


def test_a_comparison_of_arrays_is_saved_with_its_trace(command, tmp_path):
    arrays = {"op": ["write", "read"] * 500, "offset": [2048 * (at % 64) for at in range(1000)], "length": [2048] * 1000}
    found = ftlkit.compare(ftlkit.Trace.from_arrays(**arrays), schemes="page-level,fsr", capacity="8MiB")
    found.save(tmp_path / "out")
    [trace] = (tmp_path / "out").glob("trace-*.csv")
    assert trace.name == f"trace-{ftlkit._ftlkit.file_sha256(str(trace))}.csv"
    assert trace.name in (tmp_path / "out/experiment.toml").read_text()
    figures = found.report["schemes"]
    del found
    printed = json.loads(command("run", tmp_path / "out/experiment.toml", "--json", "--quiet"))
    assert printed["schemes"] == figures
    assert ftlkit.run(tmp_path / "out/experiment.toml").report["schemes"] == figures


def test_lists(command):
    for what, named in [("parts", ftlkit.parts()), ("workloads", ftlkit.workloads())]:
        assert list(named.values()) == json.loads(command("list", what, "--json"))[what]
    # What they say of victim policies has those of the other tests here.
    assert list(ftlkit.schemes()) == [scheme["name"] for scheme in json.loads(command("list", "schemes", "--json"))["schemes"]]
    assert "fifo" in ftlkit.victim_policies() and "sepbit" in ftlkit.placement_policies()
    assert "csv" in ftlkit.formats() and "sata2" in ftlkit.interfaces()
    assert ftlkit.scheme_page("nftl") == command("list", "schemes", "nftl")
    with pytest.raises(ftlkit.InputError, match="no scheme is called"):
        ftlkit.scheme_page("fsrr")


def test_bounds_are_those_of_the_command(command):
    printed = json.loads(command("bounds", "--part", "toshiba-slc", "--capacity", "4GiB", "--deadline", "3ms", "--json"))
    rows = ftlkit.bounds("toshiba-slc", capacity="4GiB", deadline="3ms").rows()
    assert_divisions(rows, printed)
    printed = json.loads(command("bounds", "--part", "all", "--schemes", "lazy-rtgc,fsr+share=0.7", "--json"))
    assert_divisions(ftlkit.bounds("all", schemes="lazy-rtgc,fsr+share=0.7").rows(), printed)
    printed = json.loads(command("bounds", "--part", "ddt-mlc", "--ways", "4", "--schemes", "lazy-rtgc+copy=dgcb", "--json"))
    assert_divisions(ftlkit.bounds("ddt-mlc", ways=4, schemes=["lazy-rtgc+copy=dgcb"]).rows(), printed)


def assert_divisions(rows, printed):
    rows = iter(rows)
    for part in printed["parts"]:
        for expected in part["schemes"]:
            row = next(rows)
            assert (row["part"], row["blocks"], row["capacity_bytes"]) == (part["part"], part["blocks"], part["capacity_bytes"])
            ram = expected.pop("ram", {})
            expected |= {f"ram.{key}": value for key, value in ram.items()}
            assert {key: row[key] for key in expected} == expected
    assert next(rows, None) is None


def test_bounds_refuse_what_they_do_not_depend_on():
    with pytest.raises(TypeError, match="no setting `seed`"):
        ftlkit.bounds(seed=1)
    for keys, said in [
        ({"blocks": 0}, "blocks: must be 1 or more"),
        ({"pages": 0}, "pages: must be 1 or more"),
        ({"pages": -1}, "pages: must be 1 or more"),
        ({"blocks": 2**32}, "blocks: must be 4294967295 or less"),
        ({"pages": "1"}, "pages: '1' is no whole number"),
    ]:
        with pytest.raises(ftlkit.InputError, match=said):
            ftlkit.bounds(**keys)
    with pytest.raises(ftlkit.InputError, match="no part is called"):
        ftlkit.bounds("toshiba")


def test_delays_are_those_of_the_command(command, tmp_path):
    arrivals, schemes = "writes=bucket:4:20/s,reads=periodic:10ms:2", "lazy-rtgc,rftl,lazy-rtgc+idle"
    for more, keys in [
        (["--part", "toshiba-slc", "--deadline", "20ms"], {"part": "toshiba-slc", "deadline": "20ms"}),
        (
            ["--part", "ddt-mlc", "--channels", "2", "--queue-depth", "1", "--interface", "sata2"],
            {"part": "ddt-mlc", "channels": 2, "queue_depth": 1, "interface": "sata2"},
        ),
    ]:
        [part] = json.loads(command("bounds", "--arrivals", arrivals, "--schemes", schemes, *more, "--json"))["parts"]
        plot = tmp_path / "delay.svg"
        rows = ftlkit.bounds(arrivals=arrivals, schemes=schemes, plot=plot, **keys).rows()
        assert len(rows) == 3 and rows[0]["delay_ns"] and rows[2]["why_not"]
        for row, expected in zip(rows, part["schemes"]):
            assert {key: row[key] for key in expected} == expected
        assert plot.read_text().startswith("<svg")
    other = tmp_path / "notes.txt"
    other.write_text("mine")
    with pytest.raises(ftlkit.InputError, match="is no drawing"):
        ftlkit.bounds(arrivals=arrivals, schemes="lazy-rtgc", plot=other)
    assert other.read_text() == "mine"
    with pytest.raises(ftlkit.InputError, match="no scheme has a bound"):
        ftlkit.bounds(arrivals="writes=bucket:1:9000/s", schemes="lazy-rtgc", plot=tmp_path / "none.svg")
    with pytest.raises(ftlkit.InputError, match="expected writes=bucket"):
        ftlkit.bounds(arrivals="writes=3")
    with pytest.raises(TypeError, match="plot needs arrivals"):
        ftlkit.bounds(plot="delay.svg")
    with pytest.raises(TypeError, match="either arrivals or pages"):
        ftlkit.bounds(arrivals=arrivals, pages=2)
    with pytest.raises(TypeError, match="no setting `queue_depth`"):
        ftlkit.bounds(queue_depth=1)


def test_progress_is_a_function():
    with pytest.raises(ftlkit.InputError, match="progress: 3 is no function"):
        ftlkit.compare(**SMALL, progress=3)


def test_a_choice_is_the_commands(command):
    arguments = ["--deadline", "3ms", "--capacity", "8MiB", "--parts", "evaluation-slc", "--schemes", "page-level,lazy-rtgc"]
    printed = json.loads(command("choose", "uniform", *arguments, "--requests", "3000", "--json", "--quiet"))["choices"]
    table = ftlkit.choose(
        ftlkit.Workload("uniform", requests=3000),
        deadline="3ms",
        capacity="8MiB",
        parts="evaluation-slc",
        schemes="page-level,lazy-rtgc",
    )
    assert table.rows() == printed
    with pytest.raises(ftlkit.InputError, match="`80` is above 1: write `80%` or `0.8`"):
        ftlkit.choose("uniform", deadline="3ms", capacity="8MiB", shares=["50%", 80])


def test_a_choice_may_be_of_what_is_exported():
    given = dict(deadline="3ms", parts="evaluation-slc", schemes="lazy-rtgc", shares=[])
    table = ftlkit.choose(ftlkit.Workload("uniform", requests=2000), exported="6MiB", **given)
    assert table.rows()[0]["exported_bytes"] >= 6 << 20
    with pytest.raises(TypeError, match="either capacity or exported"):
        ftlkit.choose("uniform", **given)
    with pytest.raises(ftlkit.InputError, match="exported"):
        ftlkit.choose("uniform", exported="six", **given)
    nothing = given | {"deadline": "writes:1GiB..:3ms"}
    with pytest.raises(ftlkit.InputError, match="the workload has no request of it"):
        ftlkit.choose(ftlkit.Workload("uniform", requests=2000), exported="6MiB", **nothing)
