"""What a mechanism takes: one class for each kind of input, a file each.

A kind checks its inputs and reads pairs of them, which are written the same way in Python, in grids
and on the command line: `0,1`, `-1,1`, `0,0:1,2`, `[1,0,0]:[0,1,0]`, `apple:pear`. It knows the
pair that is told apart if none is named, and when a guess names the first input of a pair.
"""

from ldp_auditor.inputs.categories import Categories, Steps
from ldp_auditor.inputs.key_values import KeyValues, held_by
from ldp_auditor.inputs.kind import Accused, Inputs
from ldp_auditor.inputs.names import Names
from ldp_auditor.inputs.numbers import Numbers
from ldp_auditor.inputs.places import Cells, Places
from ldp_auditor.inputs.points import Ball, Points, UnitVectors
from ldp_auditor.inputs.records import Records
from ldp_auditor.inputs.words import in_words, size_in_words

__all__ = [
    "Accused",
    "Ball",
    "Categories",
    "Cells",
    "Inputs",
    "KeyValues",
    "Names",
    "Numbers",
    "Places",
    "Points",
    "Records",
    "Steps",
    "UnitVectors",
    "held_by",
    "in_words",
    "size_in_words",
]
