"""What makes a query wrong, in GitHub's words: clients read them to learn what a host lacks."""

from typing import Any

from graphql import (
    FieldNode,
    FieldsOnCorrectTypeRule,
    GraphQLError,
    OverlappingFieldsCanBeMergedRule,
    ValidationRule,
    specified_rules,
)


class FieldsExist(ValidationRule):
    """Fields and their arguments are those of the type.

    `gh` goes on without a feature where it reads "Field 'x' doesn't exist on type 'Y'"; the code
    is that of https://docs.github.com/graphql and carries both names.
    """

    def enter_field(self, node: FieldNode, *_: Any) -> None:
        parent = self.context.get_parent_type()
        if parent is None:
            return
        name = node.name.value
        if self.context.get_field_def() is None:
            self.report_error(
                GraphQLError(
                    f"Field '{name}' doesn't exist on type '{parent.name}'",
                    node,
                    extensions={
                        "code": "undefinedField",
                        "typeName": parent.name,
                        "fieldName": name,
                    },
                )
            )


_REPLACED = (
    FieldsOnCorrectTypeRule,
    # GitHub lets `name` be String on one type of a union and String! on another; gh relies on it.
    OverlappingFieldsCanBeMergedRule,
)
RULES: tuple[type[Any], ...] = (
    FieldsExist,
    *(rule for rule in specified_rules if rule not in _REPLACED),
)
