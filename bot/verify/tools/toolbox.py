"""The eight tools, bound to one project, for one agent of one phase; every call is counted."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from bot.spec.model import Spec
from bot.state.model import ProjectState
from bot.verify.coverage import verify_coverage
from bot.verify.evidence import Evidence
from bot.verify.structure import verify_files, verify_interfaces, verify_structure
from bot.verify.tools.artifacts import Artifact, Binding, planned, source
from bot.verify.tools.catalogue import ToolName
from bot.verify.tools.counting import Tally
from bot.verify.tools.requirements import Passage, access_requirements
from bot.verify.tools.search import Hit, NodeSearcher, Searcher
from bot.verify.tools.symbols import Symbol, extract_symbols


@dataclass(frozen=True)
class Toolbox:
    """`skeleton` and `code` are sources by path. The tools themselves are pure; the counts go to
    `tally`, which toolboxes of several agents and threads may share."""

    spec: Spec
    project: ProjectState
    phase: str
    agent: str
    skeleton: Mapping[str, str] = field(default_factory=dict)
    code: Mapping[str, str] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)

    def of(self, agent: str) -> "Toolbox":
        """The same tools in another agent's hands."""
        return replace(self, agent=agent)

    def on(self, project: ProjectState) -> "Toolbox":
        """The same tools on another state of the project."""
        return replace(self, project=project)

    def requirements(self, section: str) -> tuple[Passage, ...]:
        """Requirement Access: the section of this id and those below it."""
        self.count(ToolName.REQUIREMENTS)
        return access_requirements(self.spec, section)

    def symbols(self, *nodes: str) -> tuple[Symbol, ...]:
        """Symbol Extractor: what the named nodes hold; everything where none is named."""
        self.count(ToolName.SYMBOLS)
        return extract_symbols(self.project, nodes, self.code or self.skeleton)

    def artifact(self, path: str, binding: Binding | str) -> Artifact:
        """Artifacts Retriever: "architecture", "skeleton" or "code" of a path."""
        kind = Binding(binding)
        self.count(f"{ToolName.ARTIFACTS} ({kind})")
        if kind is Binding.ARCHITECTURE:
            return planned(self.project, path)
        return source(self.skeleton if kind is Binding.SKELETON else self.code, path, kind)

    def search(self, keywords: str, most: int = 8) -> tuple[Hit, ...]:
        """Documentation Searcher: blocks of the documents, the best first."""
        self.count(ToolName.SEARCH)
        return self._searcher.search(keywords, most)

    def nearest(self, keywords: str, most: int = 5) -> tuple[str, ...]:
        """Documentation Searcher over what the nodes say of themselves: ids, the best first."""
        self.count(ToolName.SEARCH)
        return tuple(node_id for node_id, _ in self._node_searcher.search(keywords, most))

    def structure(self) -> list[Evidence]:
        """Structure Verifier."""
        self.count(ToolName.STRUCTURE)
        return verify_structure(self.project, self.spec)

    def interfaces(self) -> list[Evidence]:
        """Interface Verifier."""
        self.count(ToolName.INTERFACES)
        return verify_interfaces(self.project, self.spec)

    def missing_files(self) -> list[Evidence]:
        """Missing File Detector."""
        self.count(ToolName.MISSING_FILES)
        return verify_files(self.project, self.spec)

    def coverage(self) -> list[Evidence]:
        """Skeleton Coverage Verifier, of the code where there is some, else of the skeleton."""
        self.count(ToolName.COVERAGE)
        return verify_coverage(self.project, self.code or self.skeleton)

    @cached_property
    def _searcher(self) -> Searcher:
        return Searcher(self.spec)

    @cached_property
    def _node_searcher(self) -> NodeSearcher:
        return NodeSearcher(self.project.nodes)

    def count(self, tool: str, times: int = 1) -> None:
        """Count calls; for a context that was retrieved as a whole, those it takes the place of."""
        self.tally.count(tool, self.phase, self.agent, times)
