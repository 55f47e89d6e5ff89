"""The precompiled header with which the sources of a package begin."""

# Packages below the ones whose headers are precompiled begin with less; these headers are checked there.
_BEGINS = [
    # package, with all below it: of libraries and programs, of tests
    ("experiments", "programs", "testing"),
    ("tests/txn", "systems", "systems_testing"),
    ("tests/workloads", "systems", "systems_testing"),
    ("txn/schema", "standard", "testing"),
    ("txn/", "systems", "systems_testing"),
    ("workloads", "systems", "systems_testing"),
]

def precompiled_for(package, test):
    """The name of a target of this package for the sources of a rule in `package`.

    Args:
      package: the package's name.
      test: True of a test.

    Returns:
      The name.
    """
    for start, of_library, of_test in _BEGINS:
        if package == start or package.startswith(start if start.endswith("/") else start + "/"):
            return of_test if test else of_library
    return "testing" if test else "standard"
