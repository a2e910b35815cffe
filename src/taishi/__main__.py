"""`python -m taishi`: the command `taishi`, where its folder is not on PATH."""

from .cli import main

if __name__ == "__main__":
    main()
