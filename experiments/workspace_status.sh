#!/bin/sh
# Tells Bazel the commit that is built (--workspace_status_command). What begins with STABLE_ makes the program be linked anew when it changes.
commit=$(git rev-parse --short=12 HEAD 2>/dev/null) || commit=unknown
if [ "$commit" != unknown ] && ! git diff --quiet HEAD 2>/dev/null; then commit="$commit+"; fi
echo "STABLE_COMMIT $commit"
