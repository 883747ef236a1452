"""People are found however their names are written."""

import pytest

from evensteven import Ledger, MemberError


def test_names_are_tidied_and_kept_in_joining_order():
    ledger = Ledger("Lake house")
    assert ledger.add_member("  Cyd \t Jones ") == "Cyd Jones"
    ledger.add_member("Ada")
    assert ledger.members == ("Cyd Jones", "Ada")


@pytest.mark.parametrize("name", ["Cyd Jones", "cyd jones", " CYD   JONES\n"])
def test_members_are_found_however_they_are_written(name):
    ledger = Ledger("Lake house")
    ledger.add_member("Cyd Jones")
    assert ledger.member(name) == "Cyd Jones"
    with pytest.raises(MemberError):
        ledger.add_member(name)


def test_case_is_compared_as_unicode_says():
    ledger = Ledger("Street party")
    ledger.add_member("Anna Straße")
    assert ledger.member("ANNA STRASSE") == "Anna Straße"


@pytest.mark.parametrize("name", ["", "   ", "\n"])
def test_a_member_needs_a_name(name):
    with pytest.raises(MemberError):
        Ledger("Lake house").add_member(name)


def test_somebody_who_is_not_a_member():
    ledger = Ledger("Lake house")
    ledger.add_member("Ada")
    with pytest.raises(MemberError, match="Bea"):
        ledger.member("Bea")
    assert ledger.members == ("Ada",)
