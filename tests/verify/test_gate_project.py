"""What the gate knows of a whole project: attributes, arguments, promises and cycles; and what it
leaves alone because a text cannot tell."""

import pytest

from bot.verify.gate import gate

SHOP = {
    "shop/__init__.py": "from .cart import Cart\n",
    "shop/cart.py": (
        "from dataclasses import dataclass, field\n"
        "from enum import Enum\n"
        "from . import price\n\n\n"
        "class Size(Enum):\n    SMALL = 1\n\n\n"
        "@dataclass(frozen=True)\n"
        "class Item:\n    name: str\n    tags: list = field(default_factory=list)\n\n\n"
        "class Basket:\n"
        "    def __init__(self, owner: str, *, vat: float = 0.2) -> None:\n"
        "        self.owner = owner\n        self.first = Item('apple')\n\n"
        "    @property\n    def label(self) -> str:\n        return self.owner\n\n"
        "    @classmethod\n    def empty(cls):\n        return cls('nobody')\n\n"
        "    def note(self, item: Item) -> None:\n        print(item)\n\n\n"
        "class Cart(Basket):\n    def total(self) -> float:\n        return price.total([1])\n"
    ),
    "shop/price.py": "def total(items, vat=0.2):\n    return sum(items) * (1 + vat)\n",
}


def details(source: str, **more: str) -> list[str]:
    files = {**SHOP, "shop/use.py": source, **{f"shop/{k}.py": v for k, v in more.items()}}
    return [e.detail for e in gate(files, None, frozenset())]


def test_the_project_itself_is_sound() -> None:
    assert details("") == []


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            "from shop import price\nprice.totl([])\n",
            "uses `price.totl`, and module `shop.price` has no `totl`; did you mean `total`?",
        ),
        (
            "from shop import Cart\nCart('ann').totl()\n",
            "uses `Cart('ann').totl`, and `Cart` (`shop/cart.py`) has no `totl`; "
            "did you mean `total`?",
        ),
        (
            "from shop.cart import Cart\ndef f(cart: 'Cart | None'):\n    return cart.ownr\n",
            "uses `cart.ownr`, and `Cart` (`shop/cart.py`) has no `ownr`; did you mean `owner`?",
        ),
        (
            "from .cart import Basket\nclass Bag(Basket):\n"
            "    def show(self):\n        return self.first.nam\n",
            "uses `self.first.nam`, and `Item` (`shop/cart.py`) has no `nam`; did you mean `name`?",
        ),
        (
            "from .cart import Basket\nclass Bag(Basket):\n"
            "    def show(self):\n        return super().shown()\n",
            "uses `super().shown`, and `Bag` (`shop/use.py`) has no `shown`; did you mean `owner`?",
        ),
        (
            "from .cart import Size\nprint(Size.SMAL)\n",
            "uses `Size.SMAL`, and `Size` (`shop/cart.py`) has no `SMAL`; did you mean `SMALL`?",
        ),
        (
            "import math\nprint(math.ciel(1))\n",
            "uses `math.ciel`, and module `math` has no `ciel`; did you mean `ceil`?",
        ),
        (
            "from math import ciel\nprint(ciel)\n",
            "imports `ciel` from `math`, which does not define it",
        ),
        (
            "import typing\ndef f(x: typing.Optoinal[int]):\n    return x\n",
            "uses `typing.Optoinal`, and module `typing` has no `Optoinal`; "
            "did you mean `Optional`?",
        ),
        (
            "def f(x: str):\n    return x.uper()\n",
            "uses `x.uper`, and `str` has no `uper`; did you mean `upper`?",
        ),
        (
            "from shop.price import total\ntotal()\n",
            "calls `total()`, but `total` needs `items`, which is not given",
        ),
        (
            "from shop.cart import Cart\nCart('ann', 0.1)\n",
            "calls `Cart('ann', 0.1)`, but `Cart` takes at most 1 positional arguments, "
            "2 are given",
        ),
        (
            "from shop.cart import Cart\nc = Cart('ann')\nc.note(item=1, twice=True)\n",
            "calls `c.note(item=1, twice=True)`, but `note` has no parameter `twice`",
        ),
        (
            "from shop.cart import Item\nItem()\n",
            "calls `Item()`, but `Item` needs `name`, which is not given",
        ),
        (
            "from shop.cart import Cart\nkept = Cart('ann').note(1)\n",
            "uses the result of `Cart('ann').note(1)`, which returns nothing",
        ),
    ],
)
def test_what_does_not_match_a_definition_is_said(source: str, said: str) -> None:
    assert details(source) == [f"`shop/use.py` {said}"]


def test_a_promised_value_that_is_forgotten() -> None:
    source = "def f(x: int) -> int:\n    if x:\n        return 1\n    print(x)\n"
    said = "`shop/use.py`: `f` promises `int` and can end without returning anything"
    assert details(source) == [said]


@pytest.mark.parametrize(
    "source",
    [
        "def f(x) -> int:\n    while True:\n        print(x)\n",
        "def f(x) -> int:\n    try:\n        return 1\n    finally:\n        print(x)\n",
        "def f(x) -> 'int | None':\n    print(x)\n",
        "from typing import Optional\nMaybe = Optional[int]\ndef f(x) -> Maybe:\n    print(x)\n",
        "def f(x) -> int:\n    raise_error(x)\ndef raise_error(x):\n    raise ValueError(x)\n",
        "def f(x) -> list:\n    match x:\n        case 1:\n            return []\n"
        "        case _:\n            raise ValueError\n",
    ],
)
def test_a_promise_that_is_kept_or_cannot_be_judged(source: str) -> None:
    assert details(source) == []


@pytest.mark.parametrize(
    "source",
    [
        # What a class may get in a way that no text shows.
        "class A:\n    def __getattr__(self, n):\n        return 1\nprint(A().x)\n",
        "class A:\n    def __init__(self, **k):\n        self.__dict__.update(k)\nprint(A().x)\n",
        "class A:\n    b = 1\nfor n in 'xy':\n    setattr(A, n, 1)\nprint(A().x)\n",
        "class A:\n    b = 1\na = A()\na.x = 1\nprint(A().x)\n",
        "from threading import Thread\nclass A(Thread):\n    pass\nprint(A().x)\n",
        # What a subclass or a sibling brings.
        "class Mixin:\n    def go(self):\n        return self.x\n"
        "class A(Mixin):\n    x = 1\nprint(A().go())\n",
        "class A:\n    @classmethod\n    def make(cls):\n        return cls(1)\n"
        "class B(A):\n    def __init__(self, n):\n        self.n = n\nprint(B.make())\n",
        "class A:\n    def go(self, n):\n        return n\n    def run(self):\n"
        "        return self.go()\n"
        "class B(A):\n    def go(self, n=1):\n        return n\n",
        # What the code asks for first.
        "from shop.cart import Cart\ndef f(c: Cart):\n    if hasattr(c, 'x'):\n"
        "        return c.x\n    return None\n",
        "from shop.cart import Basket, Cart\ndef f(b: Basket):\n"
        "    if isinstance(b, Cart):\n        return b.total()\n    return b.size\n",
        "from shop.cart import Cart\ntry:\n    print(Cart('a').x)\nexcept AttributeError:\n"
        "    print('none')\n",
        "import os\nimport sys\nif sys.platform == 'win32':\n    print(os.starfile)\n",
        # What is bound more than once, or wrapped.
        "from shop.cart import Cart\nc = Cart('a')\nc = 'text'\nprint(c.upper())\n",
        "def deco(f):\n    return lambda: f(1)\n@deco\ndef g(a):\n    return a\ng()\n",
        "from enum import Enum\nclass E(Enum):\n    A = 1\nprint(E.A.value, E('x'), E.A.name)\n",
        "import email\nimport email.parser\nprint(email.parser)\n",
        "from dataclasses import dataclass\n@dataclass\nclass A:\n    cls: type\nprint(A(int))\n",
        "import sys\ndef main():\n    print(1)\nsys.exit(main())\n",
        "def f(cart):\n    return [cart.x for cart in cart]\n",
    ],
)
def test_what_a_text_cannot_tell_is_left_alone(source: str) -> None:
    assert details(source) == []


def test_a_cycle_that_breaks_at_import_is_told_from_one_that_does_not() -> None:
    broken = details(
        "from .other import g\ndef f(): return g()\n", other="from .use import f\ng = f\n"
    )
    assert sorted(broken) == [
        "`shop/other.py` imports `f` from `shop.use` while that is still being imported, "
        "a cycle that breaks when `shop.use` comes first",
        "`shop/use.py` imports `g` from `shop.other` while that is still being imported, "
        "a cycle that breaks when `shop.other` comes first",
    ]
    late = "def g():\n    from .use import f\n    return f\n"
    assert details("from .other import g\ndef f(): return g()\n", other=late) == []
    typing = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .use import f\ng = 1\n"
    assert details("from .other import g\ndef f(): return g\n", other=typing) == []
    whole = "from . import use\ndef g(): return use.f()\n"
    assert details("from . import other\ndef f(): return other.g()\n", other=whole) == []


def test_optional_imports_are_no_fault() -> None:
    assert details("import sys\nif sys.version_info < (3, 8):\n    import foreign\n") == []
    typed = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from foreign import X\n"
    assert details(typed + "def f(x: 'X'): return x\n") == []
    wrong = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .price import totl\n"
    assert details(wrong) == [
        "`shop/use.py` imports `totl` from `shop.price`, which does not define it"
    ]


def test_hollow_bodies_that_another_class_fills_in_are_no_placeholders() -> None:
    base = "class Base:\n    def run(self):\n        raise NotImplementedError\n"
    assert details(f"{base}class Real(Base):\n    def run(self):\n        return 1\n") == []
    assert details(base) == ["`Base.run` in `shop/use.py` is a placeholder: its body does nothing"]
    switched = (
        "class Base:\n    def check(self):\n        print(1)\n"
        "class Quiet(Base):\n    def check(self):\n"
        '        """Nothing to check here."""\n'
    )
    assert details(switched) == []
    assert details("def outer():\n    def inner(): ...\n    return inner\n") == [
        "`outer.inner` in `shop/use.py` is a placeholder: its body does nothing"
    ]


def test_what_comes_with_a_requirement_is_there() -> None:
    files = {"a.py": "import werkzeug\nimport numpy\n"}
    (found,) = gate(files, None, frozenset({"flask"}))
    assert "imports `numpy`" in found.detail


@pytest.mark.parametrize(
    "source",
    [
        "import socket\n\n\nclass Client:\n    socket: socket.socket\n\n"
        "    def send(self, data: bytes) -> int:\n        return self.socket.send(data)\n",
        "import socket\n\n\nclass Client:\n    socket = socket.socket\n\n"
        "    def make(self) -> None:\n        self.socket()\n",
        "class Node:\n    next: 'Node.next'\n    Node: 'Node'\n",
    ],
)
def test_names_that_are_explained_by_themselves_are_left_alone(source: str) -> None:
    assert details(source) == []
