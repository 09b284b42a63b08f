"""The company's skills: found for a ticket, checked, and brought from the older flat form into folders."""

from hermes_company.userspace.skills.finder import CompanySkills

__all__ = ["CompanySkills"]
