"""`python -m hermes_company`."""

from hermes_company.cli.entry import main

if __name__ == "__main__":
    main()
