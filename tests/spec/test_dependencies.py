"""Requirements that a PRD states in prose."""

from bot.spec.dependencies import stated_requirements
from bot.spec.folder import spec_from_files

PRD = b"""# Thing

## Requirements

### Dependencies

- `click>=7.0` - command line
- **Jinja2** (>=2.7, <4): templates
- **Core**: No external dependencies
- `pywin32>=226` (Windows only)
- **Python** (>=3.9)
- `not a requirement!!`

### Development Dependencies

- `pytest` - tests
- `black`
"""


def test_runtime_requirements_are_read_and_others_left() -> None:
    spec = spec_from_files({"PRD.md": PRD})
    assert stated_requirements(spec.sections) == ("click>=7.0", "Jinja2<4,>=2.7")
