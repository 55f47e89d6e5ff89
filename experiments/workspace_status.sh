#!/bin/sh
# Tells Bazel the commit that is built (--workspace_status_command). Actions that use what begins with STABLE_ run again when it changes.
commit=$(git rev-parse --short=12 HEAD 2>/dev/null) || commit=unknown
if [ "$commit" != unknown ] && ! git diff --quiet HEAD -- 2>/dev/null; then
  commit="$commit+"
fi
echo "STABLE_COMMIT $commit"
