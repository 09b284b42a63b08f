"""Who examines a company for `hc doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_company.bootstrap.workplaces import folders_of
from hermes_company.engines.examine import EngineExaminer
from hermes_company.errors import Refusal
from hermes_company.folders.company_files import read_identity
from hermes_company.folders.examine import FolderExaminer
from hermes_company.folders.yaml_text import load_yaml
from hermes_company.terminal.examine import TerminalExaminer
from hermes_company.userspace.examine import MemoryExaminer
from hermes_company.userspace.memory.secrets import Kingfisher

if TYPE_CHECKING:
    from hermes_company.bootstrap import Company
    from hermes_company.ports.doctor import Examiner


def examiners_of(company: Company) -> tuple[Examiner, ...]:
    """Who examines the company, one for each room. Settings or an id that can't be read leave only the folders' own."""
    runners = {name: engine.runner for name, engine in company.engines.items()}
    folders = FolderExaminer(company.layout, company.clock, company.environ, runners=runners)
    try:
        settings, identity = company.settings, read_identity(company.layout)
    except Refusal:
        return (folders,)
    terminal = TerminalExaminer(
        settings.tmux,
        company=identity,
        root=company.layout.root,
        config=company.layout.tmux_conf,
        runs=company.runs,
        run_folders=company.layout.runs,
        workers=lambda: company.workers,
        environ=company.environ,
    )
    engines = EngineExaminer(
        company.engines,
        company.agents,
        settings_of=company.sight.engine_settings,
        jobs=lambda agent: [company.job_for(agent, folder) for folder in folders_of(company, agent)],
        environ=company.environ,
    )
    scanner = Kingfisher(company.layout.cache).problem if settings.learning.scanner else lambda: None
    memory = MemoryExaminer(
        company.layout.root, company.notes, company.layout.skills, company.history, parse_yaml=load_yaml, scanner=scanner
    )
    return folders, terminal, engines, memory
