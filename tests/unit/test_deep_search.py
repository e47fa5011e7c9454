"""What is looked for in texts and bytes, how deep a search goes, and what it bets on meanwhile."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import numpy as np
import pytest

from ldp_auditor import Claim
from ldp_auditor.checks.plan import MOST_SEARCHED, MOST_SMALL, CheckPlan
from ldp_auditor.checks.recorded_reports import Recorded
from ldp_auditor.checks.search.events import Beyond
from ldp_auditor.checks.search.finder import Candidate, Pilot, find_events
from ldp_auditor.checks.search.layout import Layout
from ldp_auditor.checks.search.odd_sums import related
from ldp_auditor.checks.search.packed_events import pack
from ldp_auditor.checks.sequence import CHUNK, part

TRIALS = 200


def found(make: Any, trials: int = TRIALS, claim: float = 1.0) -> list[Candidate]:
    """What is found in reports of 0 and 1 that `make` makes of a bit and a generator."""
    rng = np.random.default_rng(5)
    reports = [[make(int(v ^ (rng.random() < 0.1)), rng) for _ in range(trials)] for v in (0, 1)]
    return find_events(Pilot(reports, Claim(claim), (0, 1)), 3, False, 0)[1]


def between(separator: str) -> Any:
    """A bit between two numbers of any length."""

    def make(bit: int, rng: np.random.Generator) -> str:
        first, last = (str(10 ** int(rng.integers(1, 9)) + int(rng.integers(9))) for _ in "ab")
        return separator.join([first, "no" if bit else "yes", last])

    return make


@pytest.mark.parametrize("separator", [",", ";", "|", "&", " ", "\t", "\n"])
def test_a_word_is_told_by_its_position(separator: str) -> None:
    best = found(between(separator))[0]
    assert best.event.words in (
        f"report.split({separator!r})[1] is {word!r}" for word in ("no", "yes")
    )


def test_a_word_is_told_wherever_it_stands_and_the_same_on_later_reports() -> None:
    def make(bit: int, rng: np.random.Generator) -> str:
        words = rng.permutation([str(i) for i in range(20, 40)])[: int(rng.integers(4, 9))]
        return ",".join(["7", *words] if bit else words)  # "7" may stand anywhere

    def shuffled(bit: int, rng: np.random.Generator) -> str:
        return ",".join(rng.permutation(make(bit, rng).split(",")).tolist())

    best = found(shuffled)[0]
    assert best.event.words in ("'7' in report.split(',')", "'7' not in report.split(',')")
    rng = np.random.default_rng(6)
    later = [shuffled(i % 2, rng) for i in range(50)]
    layout, _ = find_events(Pilot([later, later], Claim(1.0), (0, 1)), 3, False, 0)
    assert layout.notes[0].endswith("at report, report.split(',').")
    held = best.event.holds(later, Layout(best.event.columns).table(later))
    assert held.tolist() == [("7" in text.split(",")) == bool(best.first) for text in later]


def test_a_number_among_words_is_a_number() -> None:
    best = found(lambda bit, rng: f"{rng.random()};{20 * bit + rng.uniform(90, 110)}")[0]
    assert best.event.words.startswith("float(report.split(';')[1])")


def test_a_uuid_is_its_bits() -> None:
    def make(bit: int, rng: np.random.Generator) -> str:
        return str(UUID(int=int.from_bytes(rng.bytes(16)) & ~(1 << 77) | bit << 77))

    assert found(make)[0].event.words.startswith("bit 77 of report.uuid.int is ")


def test_json_is_told_by_its_fields_not_by_groups_of_letters() -> None:
    made = found(lambda bit, rng: f'{{"a": {rng.integers(10**6)}, "b": {bit}}}')
    assert made[0].event.words in ("report.json['b'] is 0", "report.json['b'] is 1")
    assert not any(" in report" in candidate.event.words for candidate in made)


def test_the_last_byte_beside_the_sum_of_the_others() -> None:
    def make(bit: int, rng: np.random.Generator) -> bytes:
        body = rng.bytes(9)
        return body + bytes([(sum(body) + 3 + 2 * bit) % 256])

    words = found(make)[0].event.words
    assert words.startswith("(report[-1] - sum(report[:-1])) mod 256 is ")


def test_four_of_many_bits_are_found_by_hashing() -> None:
    rng = np.random.default_rng(9)
    bits = rng.random((2, 150, 500)) < 0.5
    bits[1, 140] = bits[1, 3] ^ bits[1, 30] ^ bits[1, 77] ^ (rng.random(500) < 0.12)
    four = related([pack(rows) for rows in bits], np.array([500.0, 500.0]), 4)
    assert [3, 30, 77, 140] in four.tolist()
    assert len(four) < 40_000  # of 20 million


def test_a_tail_is_bet_on_rather_than_reports_that_were_seen_before() -> None:
    """Rounded noise repeats, so that thousands of reports of one input only were seen before."""
    rng = np.random.default_rng(1)
    drawn = [np.round(value + rng.normal(0, 2.1, 4000), 4).tolist() for value in (0, 1)]
    _, chosen = find_events(Pilot(drawn, Claim(1.0, 1e-3), (0, 1)), 3, False, 0)
    assert isinstance(chosen[0].event, Beyond)
    assert not any("made before" in candidate.event.words for candidate in chosen)


def test_small_reports_are_searched_deeper() -> None:
    plan = CheckPlan(name="x", values=(0, 1), claim=Claim(1.0), trials=10**6)
    assert plan.searches(10**6)[-1] == 2**17 <= MOST_SMALL
    most = {
        kind: Recorded(plan, [[report] * 2] * 2, None, learn=False).most_searched
        for kind, report in {"number": 0.1, "bits": [0, 1] * 50, "any": lambda: 0}.items()
    }
    assert most == {"number": MOST_SMALL, "bits": MOST_SEARCHED, "any": MOST_SEARCHED}


def test_there_is_a_look_after_every_part() -> None:
    assert [part(n, 2, True) for n in (1, 80, 10**6)] == [1, 10, CHUNK // 2]
    assert [part(n, 2, False) for n in (80, 10**6)] == [80, CHUNK // 2]


def test_letters_that_are_not_counted_are_told() -> None:
    texts = ["".join(map(chr, row)) for row in np.random.default_rng(1).integers(65, 123, (60, 9))]
    layout, _ = Layout.fitted(texts)
    assert "Of report the 32 commonest letters were counted." in layout.notes
    assert sum(column.words.startswith("report.count(") for column in layout.columns) == 32


def test_the_residue_of_a_whole_number_in_a_text_is_told_without_its_whole_part() -> None:
    def make(bit: int, rng: np.random.Generator) -> str:
        return f"{3 * int(rng.integers(300)) + bit},{rng.integers(10**6)}"

    best = found(make, trials=1500)[0]
    assert best.event.words.startswith("float(report.split(',')[0]) mod 3 is ")


def test_noise_at_two_scales_and_a_common_factor_are_told() -> None:
    def scaled(bit: int, rng: np.random.Generator) -> dict[str, float]:
        noise = float(rng.laplace(0, 3))
        return {"a": noise, "b": -2.5 * noise + bit + 0.1 * float(rng.random())}

    assert found(scaled)[0].event.words.startswith("report['b'] + 2.5")

    def multiplied(bit: int, rng: np.random.Generator) -> tuple[float, float]:
        factor = float(rng.lognormal(0, 3))
        return factor, factor * (3 + bit + 0.1 * float(rng.random()))

    assert found(multiplied)[0].event.words.startswith("report[1] / report[0] ")


def test_what_is_in_a_list_is_told_wherever_it_stands() -> None:
    def shuffled_list(bit: int, rng: np.random.Generator) -> list[int]:
        made = [i for i in rng.permutation(60).tolist() if i != 33][: int(rng.integers(8, 14))]
        shuffled: list[int] = rng.permutation([*made, 33] if bit else made).tolist()
        return shuffled

    assert found(shuffled_list)[0].event.words in ("33 in report", "33 not in report")


def test_two_of_hundreds_of_bits_are_found_by_hashing() -> None:
    rng = np.random.default_rng(9)
    bits = rng.random((2, 400, 500)) < 0.5
    bits[1, 390] = bits[1, 3] ^ (rng.random(500) < 0.12)
    two = related([pack(rows) for rows in bits], np.array([500.0, 500.0]), 2)
    assert [3, 390] in two.tolist()
    assert len(two) < 10_000  # of 79,800


def test_words_that_were_chosen_from_many_keep_what_other_words_promise() -> None:
    """The length of a list, among hundreds of columns, and a comparison with the same counts."""

    def make(bit: int, rng: np.random.Generator) -> Any:
        made = rng.random(3 + (bit if rng.random() < 0.85 else 1 - bit))
        return {"items": made.tolist(), "token": rng.bytes(12).hex()}

    rng = np.random.default_rng(6)
    reports = [[make(bit, rng) for _ in range(300)] for bit in (0, 1)]
    _, chosen = find_events(Pilot(reports, Claim(1.0), (0, 1)), 3, False, 0)
    assert chosen[0].event.words in ("len(report['items']) is 3", "len(report['items']) is 4")
