"""clang-tidy as a test per package, which checks its sources as one: most of the time goes into what they include."""

load("//third_party/precompiled:begins.bzl", "precompiled_for")
load("//third_party/precompiled:precompiled.bzl", "PrecompiledInfo")

ClangTidyInfo = provider(
    "A target's own sources.",
    fields = {"units": "Sources of a target, with their flags, inputs and the name of what is precompiled; empty if it has none."},
)

# A precompiled header names the files that it is made of by their absolute paths, which differ from sandbox to sandbox.
_ONE_DIRECTORY = {"no-sandbox": "1"}

# They differ from clone to clone, too, and clones may share a cache.
_ONE_CLONE = dict(_ONE_DIRECTORY, **{"no-cache": "1"})

def _precompiled_impl(ctx):
    header = ctx.attr.header[PrecompiledInfo].header
    precompiled = ctx.actions.declare_file(ctx.label.name + ".pch")

    # Read from standard input: a file of another sandbox would be missed. A header that is touched, or taken back, is still the same:
    # it is known by what it holds.
    compiler = "clang++-16 -fpch-instantiate-templates -fpch-validate-input-files-content -Xclang -fno-pch-timestamp -x c++-header"
    ctx.actions.run_shell(
        command = 'header=$1 precompiled=$2; shift 2; %s "$@" - -o "$precompiled" <"$header"' % compiler,
        arguments = [header.path, precompiled.path] + ctx.fragments.cpp.cxxopts + ["-iquote", "."],
        inputs = depset([header], transitive = [ctx.attr.header[PrecompiledInfo].own]),
        outputs = [precompiled],
        mnemonic = "ClangPrecompile",
        execution_requirements = _ONE_CLONE,
        use_default_shell_env = True,
    )
    return [DefaultInfo(files = depset([precompiled]), runfiles = ctx.runfiles(files = [precompiled]))]

# A header in the form in which clang-tidy reads it fastest.
clang_precompiled = rule(
    implementation = _precompiled_impl,
    attrs = {"header": attr.label(providers = [PrecompiledInfo])},
    fragments = ["cpp"],
)

def _aspect_impl(target, ctx):
    if CcInfo not in target:
        return [ClangTidyInfo(units = [])]
    own = [file for src in getattr(ctx.rule.attr, "srcs", []) for file in src.files.to_list()]
    compilation = target[CcInfo].compilation_context
    flags = ctx.fragments.cpp.cxxopts + ["-iquote", "."]
    for path in compilation.quote_includes.to_list():
        flags += ["-iquote", path]
    for path in compilation.includes.to_list() + compilation.system_includes.to_list():
        flags += ["-isystem", path]
    for define in compilation.defines.to_list() + compilation.local_defines.to_list():
        flags.append("-D" + define)
    sources = [source for source in own if source.extension == "cc"]
    if not sources:
        return [ClangTidyInfo(units = [])]
    return [ClangTidyInfo(units = [struct(
        precompiled = precompiled_for(ctx.label.package, ctx.rule.kind == "cc_test"),
        flags = flags,
        sources = sources,
        inputs = depset(own, transitive = [compilation.headers]),
    )])]

_clang_tidy_aspect = aspect(implementation = _aspect_impl, fragments = ["cpp"])

def _check(ctx, name, units):
    """Has the sources of `units`, which have their flags and what is precompiled in common, checked as one; returns the report."""
    report = ctx.actions.declare_file("%s.%s.txt" % (ctx.label.name, name))
    precompiled = getattr(ctx.file, "_" + units[0].precompiled)
    sources = [source for unit in units for source in unit.sources]
    ctx.actions.run(
        executable = ctx.executable._clang_tidy,
        arguments = [report.path, ctx.file._config.path, ctx.file._own_code_only.path] + [source.path for source in sources] + ["--"] +
                    units[0].flags + ["-include-pch", precompiled.path, "-fpch-validate-input-files-content"],
        inputs = depset([ctx.file._config, ctx.file._own_code_only, precompiled], transitive = [unit.inputs for unit in units]),
        outputs = [report],
        mnemonic = "ClangTidy",
        execution_requirements = _ONE_DIRECTORY,
        progress_message = "Checking %d sources of %s" % (len(sources), ctx.label.package),
        use_default_shell_env = True,
    )
    return report

def _test_impl(ctx):
    alike = {}
    for target in ctx.attr.targets:
        for unit in target[ClangTidyInfo].units:
            key = unit.precompiled + " ".join(unit.flags)
            alike[key] = alike.get(key, []) + [unit]
    reports = [_check(ctx, str(number), units) for number, units in enumerate(alike.values())]
    test = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(
        output = test,
        content = "\n".join([
            "#!/bin/sh",
            "# The reports hold what clang-tidy said: fails if they say anything.",
            "! cat /dev/null %s | grep ." % " ".join([report.short_path for report in reports]),
            "",
        ]),
        is_executable = True,
    )
    return [DefaultInfo(executable = test, runfiles = ctx.runfiles(files = reports))]

_clang_tidy_test = rule(
    implementation = _test_impl,
    attrs = dict(
        {
            "_" + name: attr.label(default = "//tests/hygiene:" + name, allow_single_file = True)
            for name in ["programs", "standard", "systems", "systems_testing", "testing"]
        },
        targets = attr.label_list(aspects = [_clang_tidy_aspect]),
        _clang_tidy = attr.label(default = "//tests/hygiene:clang_tidy.py", executable = True, cfg = "host", allow_single_file = True),
        _config = attr.label(default = "//:.clang-tidy", allow_single_file = True),
        _own_code_only = attr.label(default = "//tests/hygiene:own_code_only", allow_single_file = True),
    ),
    test = True,
)

def clang_tidy():
    """The last line of every BUILD file with C++ rules: checks the translation units of all rules above it by .clang-tidy."""
    _clang_tidy_test(
        name = "clang_tidy",
        size = "small",
        tags = ["hygiene"],
        targets = [
            rule["name"]
            for rule in native.existing_rules().values()
            if rule["kind"] in ["cc_binary", "cc_library", "cc_test"]
        ],
    )
