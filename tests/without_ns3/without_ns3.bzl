"""The environment of tests whose programs start without ns-3. Such a test has //tests/without_ns3 among its data."""

# Relative to the directory in which tests start; programs that are started in another one load ns-3 as ever.
WITHOUT_NS3 = {"LD_LIBRARY_PATH": "tests/without_ns3"}
