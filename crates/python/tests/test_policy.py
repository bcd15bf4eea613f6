"""Victim policies written in Python."""

import os
import traceback

import ftlkit
import pytest

from conftest import SMALL


@ftlkit.victim_policy("oldest")
class Oldest:
    """filled longest ago, as the policy `fifo`"""

    def __init__(self, blocks, pages_per_block, seed):
        self.queue = []

    def full(self, block, valid):
        self.queue.append(block)

    def choose(self, blocks):
        for _ in range(len(self.queue)):
            block = self.queue.pop(0)
            if blocks.valid(block) < blocks.pages_per_block:
                return block
            self.queue.append(block)
        return None

    def removed(self, block):
        self.queue.remove(block)


def run(policy, scheme="page-level", **keys):
    return ftlkit.compare(**{**SMALL, "schemes": [f"{scheme}+victim={policy}+label=mine"], **keys})["mine"]


def figures(scheme):
    return {key: value for key, value in scheme.items() if key not in ("name", "victim_work", "ram", "ram_bytes")}


def test_a_policy_is_what_it_would_be_in_rust():
    for scheme in ("page-level", "2lgc"):
        assert figures(run("oldest", scheme)) == figures(run("fifo", scheme))


def test_it_hears_of_every_page_that_is_lost():
    @ftlkit.victim_policy("fewest-valid", valid_pages="fewest")
    class Fewest:
        def __init__(self, blocks, pages_per_block, seed):
            self.counts = {}

        def full(self, block, valid):
            self.counts[block] = valid

        def invalidated(self, block, valid):
            assert valid == self.counts[block] - 1
            self.counts[block] = valid

        def choose(self, blocks):
            assert set(self.counts) == set(blocks) and len(blocks) == len(self.counts)
            assert all(blocks.valid(block) == valid for block, valid in self.counts.items())
            block = blocks.fewest()
            del self.counts[block]
            return block

        def removed(self, block):
            del self.counts[block]

    found = run("fewest-valid")
    assert found.waf == pytest.approx(run("greedy").waf, rel=0.02)
    # The bound of greedy victims is its bound as well, so a real-time scheme takes it.
    assert run("fewest-valid", "lazy-rtgc").violations == 0


def test_it_is_listed_and_explained():
    entry = ftlkit.victim_policies()["oldest"]
    assert entry["summary"] == "filled longest ago, as the policy `fifo`"
    with pytest.raises(ftlkit.InputError, match="oldest"):
        ftlkit.compare(**{**SMALL, "schemes": ["page-level+victim=oldes"]})
    # It promises no more than that a victim frees a page.
    with pytest.raises(ftlkit.InputError, match="only these bound a victim's valid pages"):
        run("oldest", "lazy-rtgc")


def policy(name, choose):
    """A policy that chooses so after some good choices."""

    class Bad(Oldest):
        def choose(self, blocks):
            self.chosen = getattr(self, "chosen", 0) + 1
            return super().choose(blocks) if self.chosen < 5 else choose(self, blocks)

    return ftlkit.victim_policy(name)(Bad)


def test_an_exception_ends_the_run_with_its_traceback():
    def raises(self, blocks):
        raise LookupError("in my policy")

    policy("raising", raises)
    with pytest.raises(LookupError, match="in my policy") as caught:
        run("raising")
    assert "raises" in [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    # The next run is not to blame.
    run("oldest")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda self, blocks: 10**6, "choose() returned block 1000000, which is no candidate"),
        (lambda self, blocks: self.again(blocks), "which is no candidate: it is not full"),
        (lambda self, blocks: "7", "choose() returned '7', which is no block number"),
        (lambda self, blocks: -1, "which is no block number"),
        (lambda self, blocks: None, "returned None while a full block has an invalid page"),
    ],
)
def test_a_choice_that_breaks_a_rule_names_the_policy(answer, said):
    def again(self, blocks):
        full = set(blocks)
        return next(block for block in range(10**6) if block not in full)

    bad = policy("breaking", answer)
    bad.again = again
    with pytest.raises(ftlkit.PolicyError) as caught:
        run("breaking")
    assert "victim policy `breaking`" in str(caught.value) and said in str(caught.value)


def test_a_full_block_gains_nothing():
    def whole(self, blocks):
        return max(blocks, key=blocks.valid)

    policy("whole", whole)
    with pytest.raises(ftlkit.PolicyError, match="whose pages are all valid"):
        run("whole", workload={"name": "sequential", "requests": 20000})


def test_classes_and_names_are_checked():
    with pytest.raises(ftlkit.InputError, match="has no method `choose`"):
        ftlkit.victim_policy("incomplete")(type("A", (), {"full": None}))
    with pytest.raises(ftlkit.InputError, match="two victim policies are called `greedy`"):
        ftlkit.victim_policy("greedy")(Oldest)
    with pytest.raises(ftlkit.InputError, match="no name of a victim policy"):
        ftlkit.victim_policy("My Policy")(Oldest)
    with pytest.raises(ftlkit.InputError, match="there is no bound `all`"):
        ftlkit.victim_policy("mine", valid_pages="all")(Oldest)


def test_a_class_may_be_replaced():
    ftlkit.victim_policy("again")(Oldest)
    first = figures(run("again"))

    @ftlkit.victim_policy("again")
    class Newest(Oldest):
        def choose(self, blocks):
            return blocks.fewest()

        def full(self, block, valid):
            pass

    assert figures(run("again")) != first


def test_a_failing_constructor_is_told():
    @ftlkit.victim_policy("unmade")
    class Unmade(Oldest):
        def __init__(self, blocks, pages_per_block):
            pass

    with pytest.raises(TypeError, match="positional argument"):
        run("unmade")


def test_a_sweep_ends_with_the_exception_too():
    def raises(self, blocks):
        raise LookupError("in my policy")

    policy("raising", raises)
    study = {**SMALL, "schemes": ["page-level+victim=raising"]}
    with pytest.raises(LookupError, match="in my policy"):
        ftlkit.sweep(study, vary={"seed": [1, 2]})
    plan = ftlkit._sweep.planned(study, {"seed": [1]}, {})[0]
    with pytest.raises(LookupError, match="in my policy"):
        ftlkit._ftlkit.measure(plan.task(0)[0], {})


def test_kept_runs_know_the_code(tmp_path):
    def sweep(code):
        ftlkit._policy.add("kept", Oldest, "gaining", "x", code)
        plan = ftlkit._sweep.planned(None, {"seed": [1]}, {**SMALL, "schemes": ["page-level+victim=kept", "fsr"]})[0]
        return plan.open(str(tmp_path), False), ftlkit._sweep.execute(plan, tmp_path)

    assert sweep("one")[0] == 0
    assert sweep("one")[0] == 2
    # Other code is another policy; the run without it is kept.
    assert sweep("two")[0] == 1


def test_the_code_of_a_class_tells_it_from_others():
    class First(Oldest):
        def choose(self, blocks):
            return blocks.fewest()

    class Second(Oldest):
        def choose(self, blocks):
            return None

    # Classes without a source file, as of a shell.
    made = [{}, {}, {}]
    for space, value in zip(made, (1, 2, 2)):
        exec(f"class Shell:\n    def choose(self, blocks):\n        return {value}\n", space)
    codes = [ftlkit._policy.code_of(cls) for cls in (First, Second, *(space["Shell"] for space in made))]
    assert len(set(codes)) == 4 and codes[3] == codes[4]


def test_the_code_of_a_class_has_its_bases():
    def made(body):
        space = {}
        exec(f"class Base:\n    def choose(self, blocks):\n        {body}\nclass Mine(Base):\n    pass\n", space)
        return space["Mine"]

    codes = [ftlkit._policy.code_of(made(body)) for body in ("return 1", "return 2", "return 1")]
    assert codes[0] == codes[2] != codes[1]

    class Mine(Oldest):
        pass

    # With a source, the bases' sources are part of it.
    assert "class Oldest" in ftlkit._policy.code_of(Mine) and "class Mine" in ftlkit._policy.code_of(Mine)
    hashes = [ftlkit._policy.compiled_hash(made(body)) for body in ("return {1, 'a'}", "return {1, 'b'}", "return {1, 'a'}")]
    assert hashes[0] == hashes[2] != hashes[1]


def test_policies_are_named_where_a_policy_stands():
    for text in ("page-level+victim=a", '"x+victim=a+idle"', '["a", "b"]', "'b,a'", "victim=a,fsr"):
        assert ftlkit._policy.is_named("a", text), text
    for text in ("page-level+victim=ab", "victim=a-b", "victim=b-a", "/data/a/trace.csv", "page-level"):
        assert not ftlkit._policy.is_named("a", text), text


def in_a_policy(name, call):
    """Runs a policy that calls this once in a method; returns what that returned."""
    found = []

    class Calling(Oldest):
        def choose(self, blocks):
            if not found:
                found.append(None)
                found[0] = call()
            return super().choose(blocks)

    ftlkit.victim_policy(name)(Calling)
    run(name)
    return found[0]


def test_a_policy_of_a_short_name_makes_no_other_run_wait():
    # This run would be refused if it were taken for one with the policy `a`.
    keys = {**SMALL, "workload": {"name": "uniform", "requests": 2000}}
    found = in_a_policy("a", lambda: (ftlkit.compare(**keys).to_json(), len(ftlkit.sweep(keys, vary={"seed": [1]}))))
    assert found == (ftlkit.compare(**keys).to_json(), 2)


def test_a_run_within_a_policy_does_not_wait_for_itself():
    with pytest.raises(ftlkit.PolicyError, match="a method of a victim policy began a run"):
        in_a_policy("nesting", lambda: run("oldest"))
    run("oldest")


@ftlkit.placement_policy("regions", classes=6)
class Regions:
    """an overwrite goes to a hotter region, a copy to a colder one: the policy `dac`"""

    def __init__(self, logical_pages, blocks, pages_per_block):
        assert logical_pages < blocks * pages_per_block

    def write(self, page, old, lifespan):
        return 0 if old is None else min(old + 1, 5)

    def copy(self, page, old, age):
        return max(old - 1, 0)


#: Pages of a hot tenth, on an array with room for six open blocks.
HOT = {
    "capacity": "16MiB",
    "workload": ftlkit.Workload("hot-cold", requests=30000, hot_space=0.1, hot_requests=0.9),
}


def place(policy, **keys):
    return ftlkit.compare(**{**HOT, "schemes": [f"page-level+share=0.7+placement={policy}+label=mine"], **keys})["mine"]


def test_a_placement_policy_is_what_it_would_be_in_rust():
    assert figures(place("regions")) == figures(place("dac"))
    assert place("regions").waf != place("split").waf
    assert ftlkit.placement_policies()["regions"]["summary"].startswith("an overwrite goes")


def test_times_are_told_to_a_placement_policy_that_asks_for_them():
    def seen(**asked):
        found = {"lifespans": set(), "ages": set(), "collected": set()}

        @ftlkit.placement_policy("timed", classes=2, host_classes=1, **asked)
        class Timed:
            def __init__(self, *space):
                pass

            def write(self, page, old, lifespan):
                found["lifespans"].add(lifespan)
                return 0

            def copy(self, page, old, age):
                found["ages"].add(age)
                return 1

            def collected(self, old, lifespan):
                found["collected"].add(old)

        place("timed")
        return found

    told, untold = seen(times=True), seen()
    assert any(told["lifespans"]) and any(told["ages"]) and told["collected"] == {0, 1}
    assert untold["lifespans"] == {None} and untold["ages"] == {None}


def test_a_placement_that_breaks_a_rule_is_named():
    def broken(name, answer, method="write"):
        body = {"__init__": lambda self, *space: None, "write": lambda self, *of: 0, "copy": lambda self, *of: 0}

        def given(self, *of):
            return answer()

        ftlkit.placement_policy(name, classes=3, host_classes=2)(type("Bad", (), {**body, method: given}))
        with pytest.raises(ftlkit.PolicyError, match=f"placement policy `{name}`: {method}\\(\\) returned"):
            place(name)

    broken("third", lambda: 2)
    broken("none-at-all", lambda: None)
    broken("below", lambda: -1, "copy")
    broken("beyond", lambda: 3, "copy")

    def raising():
        raise KeyError("mine")

    body = {"__init__": lambda self, *space: None, "write": lambda self, *of: raising(), "copy": lambda self, *of: 0}
    ftlkit.placement_policy("raising-one", classes=2)(type("Bad", (), body))
    with pytest.raises(KeyError, match="mine"):
        place("raising-one")
    place("regions")


def test_a_placement_policy_that_cannot_be_is_refused():
    with pytest.raises(ftlkit.InputError, match="17 classes"):
        ftlkit.placement_policy("many", classes=17)(Regions)
    with pytest.raises(ftlkit.InputError, match="2 classes, 3 of host writes"):
        ftlkit.placement_policy("many", classes=2, host_classes=3)(Regions)
    with pytest.raises(ftlkit.InputError, match="no method `copy`"):
        ftlkit.placement_policy("many", classes=2)(type("A", (), {"write": None}))
    with pytest.raises(ftlkit.InputError, match="two placement policies are called `dac`"):
        ftlkit.placement_policy("dac", classes=2)(Regions)
    with pytest.raises(ftlkit.InputError, match="another kind"):
        ftlkit.placement_policy("oldest", classes=2)(Regions)


def test_a_sweep_knows_the_code_of_a_placement_policy(tmp_path):
    def swept(colder):
        @ftlkit.placement_policy("kept-placement", classes=3)
        class Kept(Regions):
            def write(self, page, old, lifespan):
                return 0 if old is None else min(old + 1, 2)

            def copy(self, page, old, age):
                return max(old - colder, 0)

        code = f"colder by {colder}"
        ftlkit._policy.add("kept-placement", Kept, (3, 3, False), "x", code)
        keys = {**HOT, "schemes": ["page-level+share=0.7+placement=kept-placement"]}
        return ftlkit.sweep(keys, vary={"seed": [1]}, out=str(tmp_path / "out"), force=True).runs.to_pandas().waf[0]

    first, again, other = swept(1), swept(1), swept(2)
    assert first == again != other


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="threads are counted in /proc")
def test_no_thread_of_a_run_is_left_behind_it():
    # Those that there are, since one of an earlier test may still end.
    before = set(os.listdir("/proc/self/task"))
    for seed in range(30):
        workload = {"name": "uniform", "requests": 500}
        ftlkit.compare(**{**SMALL, "schemes": ["page-level+victim=oldest"], "workload": workload, "seed": seed})
        assert set(os.listdir("/proc/self/task")) <= before
