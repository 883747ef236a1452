import pytest

from shelfmark.names import plain, same, sort_name


@pytest.mark.parametrize(
    ("name", "sorted_as"),
    [("Ada Fenn", "Fenn, Ada"), ("Ada van Fenn", "Fenn, Ada van"), ("Homer", "Homer"), ("", "")],
)
def test_a_name_is_sorted_by_its_last_word(name, sorted_as):
    assert sort_name(name) == sorted_as


def test_case_and_blanks_do_not_matter():
    assert same(" ada   fenn", "Ada Fenn ")
    assert plain("ADA") == "ada"
    assert not same("Ada", "Adam")
