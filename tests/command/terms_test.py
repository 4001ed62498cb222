#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Finds names and words that are not the field's.

    python3 terms_test.py ROOT [FOLDER...]

ROOT is the root of the sources; FOLDERs narrow the search. Searched are names and comments of sources and
the text of documents, not what stands in quotes: messages to users, keys and columns are held by other
tests. Each line of TERMS is a pattern, what to write instead, and exceptions, patterns that are right
although they match.
"""
import pathlib
import re
import sys

FOLDERS = ("framework", "sdk", "plugins", "examples", "tests", "cmake", "README.md", "CONTRIBUTING.md")

DROPPED = "ConstraintSelection; dropped (redundant) constraints"
TERMS = [
    # pattern, the field's term, exceptions
    (r"\bBooks\b|\bbooks?\b|\bbooked\b|\bbooking\b|\bbook_\w+|\w+_books\b|\w+_booked\b",
     "energy accounting, the ledger; to record", (r"book [IVX]+\b",)),
    (r"\bDefectMeasure\b|\bStepDefect\b|\bPartDefect\b", "residual scaling, scaled residual", ()),
    (r"\bleaves_roundings\b", "correction_at_rounding_level", ()),
    (r"\bis_solved_to_rounding\b", "converged_to_roundoff", ()),
    (r"\bTangent::exact\b", "Tangent::consistent", ()),
    (r"\bladder\b", "fallback sequence", ()),
    (r"\bis_first_whole\b|\bwas_first_whole\b|\bspares_second\b|\bspared_in_vain\b|\bsteps_in_vain\b|\bin vain\b",
     "without effect, unprofitable", ()),
    (r"\bPast\b(?=[:(&])|\bkFormulas\b|\bjudge_formulas\b", "Predictor, its orders", ()),
    (r"\bmissed_\b", "prediction_error", ()),
    (r"\bkEager\b|\bkWarned\b|\beager\b", "refactorise_countdown", ()),
    (r"\bturn_along\b|\bturned along\b|\bturns? along\b", "corotate", ()),
    (r"\bRowSet::Instant\b", "StateValues", ()),
    (r"\bIndependentRows\b|\bRowChoice\b|\bindependent_rows\b|\brow_choice\b|\bleft_out\w*|\w+_left_out\w*",
     DROPPED, ()),
    (r"\bopening_row\b|\bgap_after\b", "violated_dropped_row, its residual", ()),
    (r"\bforceless_stresses\b", "states of self-stress", ()),
    (r"\bprepare_sharing\b", "minimum_norm_multipliers", ()),
    (r"\blend_support\b|\bsupport lent\b|\blight foot\b", "inherited diagonal scale", ()),
    (r"\bRowKind::convention\b|\bconventions\b|\bis_convention\b", "gauge condition", ("sign conventions", "conventions of",)),
    (r"\bhears?\b|\bheard\b|\blistens?\b|\bListeners?\b|\blistening\b",
     "depends on reactions of", (r"listen\(asio::",)),
    (r"\bgo_part_of_the_way\b|\baitken_part\b", "relaxation, Aitken's factor", ()),
    (r"\bReactionFeedback\b|\breaction_feedback\b", "LowRankUpdate (Woodbury)", ()),
    (r"\bkinks?\b|\bkinked\b", "slope discontinuity", ()),
    (r"\btaut_gamma\b", "stiffest_compliance", ()),
    (r"\bgive_slopes_to_matrix\b|\bin_units_of_matrix\b|\bout_of_combinations\b",
     "set_tangent_moduli, scale_rows, unscale_multipliers", ()),
    (r"\bsettle_modes\b|\bconfirm_anew\b", "update_active_set, recheck", ()),
    (r"\bstop_pushed_back\b|\bstop_others\b|\bmeet_velocity_constraints\b",
     "stick_reversed, stick_coupled, project_velocities", ()),
    (r"\bshare_anew\b|\brelieve\b", "reweight, resolve_overload", ()),
    (r"\bsmooth_length\b", "max_smooth_step", ()),
    (r"\bbest_piece\b|\bkPieces\b", "substeps", ()),
    (r"\bgo_on_from\b|\bStand\b|\bGapes\b|\bgapes?\b", "continue_from, snapshot, initial_violations", ()),
    (r"\bshow_held\b", "sample_and_hold", ()),
    (r"\brunaway\b|\bunpeek\b",
     "diverged, leave_inside_step", ()),
    (r"\btrunk\b|\blimbs?\b", "top separator and subtrees", ()),
    (r"\bis told\b|\bare told\b|\bwas told\b|\bbe told\b|\bsays so\b|\bsay so\b|\bin silence\b",
     "is reported; undetected", ()),
]
# names that are kept for one version besides the new ones
DEPRECATED = re.compile(r"^.*\[\[deprecated.*$", re.M)
# Where a word means something else: what an import leaves out.
ELSEWHERE = {DROPPED: ("framework/import", "framework/command/import_command", "tests/import")}
STRINGS = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"', re.S)


def parts_of(pattern):
    """Texts of which one stands wherever the pattern matches; to look for texts is faster."""
    plain = re.sub(r"\\[bw][+*?]?|\(\?.*?\)|.\?", " ", pattern)
    return [part for part in re.findall(r"[A-Za-z_:]+(?: [a-z]+)*", plain) if len(part) > 2]


def searched(path, text):
    """The text of a file, with what stands in quotes of sources blanked."""
    if path.suffix in (".cpp", ".hpp", ".h", ".py"):
        text = DEPRECATED.sub("", text)
        text = STRINGS.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    if path.suffix == ".md":
        text = re.sub(r"```.*?```|`[^`\n]*`", lambda match: re.sub(r"[^\n]", " ", match[0]), text, flags=re.S)
    return text


def files(root, folders):
    for folder in folders:
        start = root / folder
        for path in sorted(start.rglob("*")) if start.is_dir() else [start]:
            parts = path.relative_to(root).parts
            if path.suffix in (".cpp", ".hpp", ".h", ".md", ".py", ".cmake") and path.is_file() and \
                    not {"build", "results", "vendor", "standard"} & set(parts) and path != pathlib.Path(__file__).resolve():
                yield path


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1]).resolve()
    terms = [(re.compile(pattern), term, [re.compile(each) for each in right], parts_of(pattern))
             for pattern, term, right in TERMS]
    count = 0
    for path in files(root, sys.argv[2:] or FOLDERS):
        text = path.read_text(encoding="utf-8", errors="replace")
        here = [each for each in terms if any(part in text for part in each[3])]
        text = searched(path, text) if here else text
        for pattern, term, right, _ in here:
            if term in ELSEWHERE and str(path.relative_to(root)).startswith(ELSEWHERE[term]):
                continue
            for match in pattern.finditer(text):
                if any(each.match(text, match.start()) for each in right):
                    continue
                line = text.count("\n", 0, match.start()) + 1
                print(f"{path.relative_to(root)}:{line}: \"{match[0]}\": {term}")
                count += 1
    print(f"{count} words that are not the field's" if count else "all words are the field's")
    sys.exit(1 if count else 0)


if __name__ == "__main__":
    main()
