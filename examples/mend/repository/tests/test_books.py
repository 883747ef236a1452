from shelfmark.books import Book, find


def test_reference_books_are_lent_for_a_short_time(novel, atlas):
    assert (novel.days, atlas.days) == (14, 3)


def test_a_line_names_author_and_title(novel, atlas):
    assert novel.line() == "Fenn, Ada: The Lighthouse Keeper"
    assert atlas.line() == "Moor, Ruth: Atlas of Tides (reference)"


def test_books_are_found_by_title_and_author(novel):
    other = Book("B9", "the lighthouse keeper", "Bo Ahl")
    assert find([novel, other], "The Lighthouse Keeper") == [other, novel]
    assert find([novel, other], "The Lighthouse Keeper", "ada fenn") == [novel]
    assert find([novel], "Another") == []
