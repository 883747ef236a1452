"""What a coder is told of how the check tests use the project."""

from bot.spec.model import GivenFile, Location, PlannedClass, PlannedFile, PlannedFunction, Spec
from bot.state.model import ProjectState
from bot.state.structure import structure_of
from bot.verify.usage import call_shapes

HERE = Location(file="architecture_design.md")


def listed(most: int = 60, **tests: str) -> list[str]:
    board = PlannedClass(
        name="Board",
        methods=tuple(
            PlannedFunction(name=name, location=HERE) for name in ("place", "find", "count")
        ),
        location=HERE,
    )
    spec = Spec(
        title="Game",
        documents=(),
        sections=(),
        files=(
            PlannedFile(path="game/__init__.py", location=HERE),
            PlannedFile(path="game/board.py", classes=(board,), location=HERE),
            PlannedFile(path="game/cli.py", location=HERE),
        ),
        check_tests=tuple(
            GivenFile(path=f"check_tests/{name}.py", text=text) for name, text in tests.items()
        ),
        digest="0",
    )
    return call_shapes(spec, ProjectState(nodes=structure_of(spec)), most).splitlines()


IMPORT = "from game.board import Board\n"


def test_calls_stand_under_the_import_as_the_tests_write_them() -> None:
    said = listed(test_a=IMPORT + "def test():\n    assert Board.read('x') == 3\n")
    assert said == ["from game.board import Board", "Board.read('x')"]


def test_what_is_compared_with_a_result_is_not_told() -> None:
    said = listed(
        test_a=IMPORT
        + "def test():\n"
        + "    assert Board.read('x') == [Board(7, 'secret')]\n"
        + "    expected = Board(8)\n"
        + "class TestMore(TestCase):\n"
        + "    def test(self):\n"
        + "        self.assertEqual(Board.read('y'), Board(9))\n"
    )
    assert not any(word in line for line in said for word in ("secret", "7", "8", "9"))
    assert "Board(int, str)" in said


def test_methods_are_followed_through_variables_fixtures_helpers_and_set_up() -> None:
    said = listed(
        conftest=IMPORT + "@pytest.fixture\ndef board():\n    yield Board(3)\n",
        test_a=IMPORT
        + "def make(size):\n    return Board(size)\n"
        + "def test_one():\n    b = Board(3)\n    b.place(1)\n"
        + "def test_two(board):\n    board.find('x')\n"
        + "def test_three():\n    make(4).count(among=[1])\n"
        + "class TestMore(TestCase):\n"
        + "    def setUp(self):\n        self.board = Board(2)\n"
        + "    def test(self):\n        self.board.place(at=5)\n        self.board.size\n",
    )
    for line in (
        "Board(...).place(1)",
        "Board(...).place(at=5)",
        "Board(...).find('x')",
        "Board(...).count(among=[1])",
        "Board(...).size",
    ):
        assert line in said


def test_methods_of_texts_and_lists_are_not_followed() -> None:
    said = listed(test_a=IMPORT + "def test():\n    Board(3).find('x').strip().split()\n")
    assert said[1:] == ["Board(3)", "Board(...).find('x')"]


def test_one_shape_is_told_once_and_no_more_than_three_of_one_target() -> None:
    calls = "".join(f"    Board({n})\n" for n in range(9))
    more = (
        "    Board('a')\n    Board(size=1)\n    Board(1, 2, 3)\n    Board([1])\n    Board(None)\n"
    )
    said = listed(test_a=IMPORT + "def test():\n" + calls + more)
    assert len([line for line in said if line.startswith("Board(")]) == 3
    assert "Board(1, 2, 3)" in said


def test_where_lines_are_few_each_target_comes_before_second_ways() -> None:
    text = IMPORT + "def test():\n    b = Board(1)\n    Board('x')\n    b.place(1)\n    b.find(2)\n"
    said = listed(4, test_a=text)
    assert said == [
        "from game.board import Board",
        "Board(1)",
        "Board(...).place(1)",
        "Board(...).find(2)",
    ]


def test_long_literals_are_cut_and_known_values_are_told() -> None:
    text = (
        IMPORT + f"def test():\n    key = 'k'\n    Board({'x' * 300!r}, {list(range(50))}, key)\n"
    )
    (line,) = listed(test_a=text)[1:]
    assert line == f"Board('{'x' * 40}...', [0, 1, 2, ...], 'k')"


def test_what_tests_replace_and_the_commands_that_they_run_are_told() -> None:
    text = (
        "from game import cli\n"
        "@patch('game.cli.urlopen')\n"
        "def test(patched):\n"
        "    CliRunner().invoke(cli.main, ['play', '--size', '3'])\n"
        "    isinstance(cli.main, object)\n"
    )
    said = listed(test_a=text)
    assert said == [
        "from game import cli",
        "patch('game.cli.urlopen')",
        "invoke(cli.main, ['play', '--size', '3'])",
    ]


def test_a_name_that_means_two_things_is_told_in_full() -> None:
    said = listed(
        test_a="from game.board import main\ndef test():\n    main(1)\n",
        test_b="from game.cli import main\ndef test():\n    main('x')\n",
    )
    assert said[2:] == ["game.board.main(1)", "game.cli.main('x')"]


def test_a_fixture_that_asks_for_itself_ends() -> None:
    text = (
        IMPORT
        + "@pytest.fixture\ndef board(board):\n    return board\ndef test(board):\n    board.x\n"
    )
    assert listed(test_a=text) == ["from game.board import Board"]


def test_helpers_that_call_each_other_many_times_are_read_once() -> None:
    helpers = "".join(
        f"def f{n}():\n    x = f{n + 1}()\n    y = f{n + 1}()\n    return f{n + 1}()\n"
        for n in range(40)
    )
    text = IMPORT + helpers + "def f40():\n    return Board(1)\ndef test():\n    f0().place(2)\n"
    assert "Board(...).place(2)" in listed(test_a=text)


def test_expressions_nested_too_deeply_are_left_out() -> None:
    deep = "x" + ".f()" * 20000
    assert listed(test_a=IMPORT + f"def test():\n    {deep}\n", test_b=IMPORT + "Board(1)\n") == [
        "from game.board import Board",
        "Board(1)",
    ]


CLI = "from game import cli\nimport sys\n"


def test_command_lines_that_tests_set_are_told_with_the_call_that_reads_them() -> None:
    said = listed(
        test_a=CLI
        + "@mock.patch('sys.argv', ['game', 'decorated'])\n"
        + "def test_zero():\n    cli.main()\n"
        + "def test_one():\n"
        + "    test_args = ['game', 'play']\n"
        + "    with patch.object(sys, 'argv', test_args):\n"
        + "        with patch('sys.stdout') as out:\n"
        + "            cli.main()\n"
        + "        self.assertIn('secret', out.getvalue())\n"
        + "def test_two(monkeypatch):\n"
        + "    monkeypatch.setattr(sys, 'argv', ['game', '--list'])\n    cli.main()\n"
        + "def test_three(monkeypatch):\n"
        + "    size = '9'\n"
        + "    monkeypatch.setattr('sys.argv', ['game', '--size', size])\n    cli.main()\n"
        + "def test_four():\n    sys.argv = ['game', '-q']\n    assert cli.parse().quiet is True\n"
        + "def test_five():\n    cli.main()\n"
    )
    assert said[1:] == [
        "cli.main() with sys.argv ['game', '--size', '9']",
        "cli.main() with sys.argv ['game', 'decorated']",
        "cli.main() with sys.argv ['game', 'play']",
        "cli.main() with sys.argv ['game', '--list']",
        "cli.main()",
        "cli.parse() with sys.argv ['game', '-q']",
        "cli.parse(...).quiet",
    ]


def test_no_more_than_six_command_lines_of_one_program_are_told_and_each_once() -> None:
    tests = "".join(
        f"def test_{n}():\n    sys.argv = ['game', '--level', '{n % 8}']\n    cli.main()\n"
        for n in range(20)
    )
    said = [line for line in listed(test_a=CLI + tests) if "sys.argv" in line]
    assert len(said) == len(set(said)) == 6


def test_command_lines_in_variables_and_processes_are_told() -> None:
    said = listed(
        test_a=CLI
        + "def test_one():\n"
        + "    args = ['play', '--size', '3', '--level', '5']\n    cli.main(args)\n"
        + "    args = [*args, '--fast']\n    cli.main(args)\n"
        + "def test_two():\n"
        + "    command = [sys.executable, '-m', 'game', 'play'] + ['-v']\n"
        + "    done = subprocess.run(command, input='x', check=True)\n"
        + "    assert done.stdout == 'secret'\n"
        + "    subprocess.run(['git', 'init'])\n    subprocess.run(['.', ''])\n"
    )
    assert said[1:] == [
        "cli.main(['play', '--size', '3', '--level', '5', '--fast'])",
        "cli.main(['play', '--size', '3', '--level', '5'])",
        "run([sys.executable, '-m', 'game', 'play', '-v'])",
    ]


def test_lists_that_grow_out_of_each_other_stay_short() -> None:
    grown = "".join("    args = [*args, *args, '-x']\n" for _ in range(60))
    text = CLI + "def test():\n    args = ['a']\n" + grown + "    cli.main(args)\n"
    (line,) = (line for line in listed(test_a=text) if "cli.main(" in line)
    assert len(line) < 200


def test_a_list_that_a_test_expects_is_not_told() -> None:
    text = CLI + "def test():\n    expected = ['--secret']\n    cli.check(expected)\n"
    assert listed(test_a=text)[1:] == ["cli.check(expected)"]
