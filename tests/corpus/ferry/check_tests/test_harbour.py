import pytest
import yaml
from dateutil import parser
from ferry.harbour import Harbour, HarbourFull


def test_full_harbour():
    harbour = Harbour(1)
    harbour.moor("Ida")
    with pytest.raises(HarbourFull):
        harbour.moor("Elsa")
    assert parser.parse("06:00") and yaml.safe_load("1") == 1
