"""clang-tidy as a test: one action per translation unit, so that Bazel repeats only what a change reaches; one test per package."""

load("//third_party/precompiled:begins.bzl", "precompiled_for")
load("//third_party/precompiled:precompiled.bzl", "PrecompiledInfo")

ClangTidyInfo = provider(
    "What clang-tidy said of a target's own translation units.",
    fields = {"reports": "One file per translation unit, empty if there is nothing to say."},
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
        return [ClangTidyInfo(reports = [])]
    own = [file for src in getattr(ctx.rule.attr, "srcs", []) for file in src.files.to_list()]
    compilation = target[CcInfo].compilation_context
    flags = ctx.fragments.cpp.cxxopts + ["-iquote", "."]
    for path in compilation.quote_includes.to_list():
        flags += ["-iquote", path]
    for path in compilation.includes.to_list() + compilation.system_includes.to_list():
        flags += ["-isystem", path]
    for define in compilation.defines.to_list() + compilation.local_defines.to_list():
        flags.append("-D" + define)

    precompiled = getattr(ctx.file, "_" + precompiled_for(ctx.label.package, ctx.rule.kind == "cc_test"))
    flags += ["-include-pch", precompiled.path, "-fpch-validate-input-files-content"]

    reports = []
    for source in own:
        if source.extension != "cc":
            continue
        report = ctx.actions.declare_file("%s.%s.clang_tidy" % (ctx.rule.attr.name, source.basename))
        ctx.actions.run(
            executable = ctx.executable._clang_tidy,
            arguments = [report.path, ctx.file._config.path, ctx.file._own_code_only.path, source.path] + flags,
            inputs = depset(own + [ctx.file._config, ctx.file._own_code_only, precompiled], transitive = [compilation.headers]),
            outputs = [report],
            mnemonic = "ClangTidy",
            execution_requirements = _ONE_DIRECTORY,
            progress_message = "Checking " + source.short_path,
            use_default_shell_env = True,
        )
        reports.append(report)
    return [ClangTidyInfo(reports = reports)]

_clang_tidy_aspect = aspect(
    implementation = _aspect_impl,
    attrs = dict(
        {
            "_" + name: attr.label(default = "//tests/hygiene:" + name, allow_single_file = True)
            for name in ["programs", "standard", "systems", "systems_testing", "testing"]
        },
        _clang_tidy = attr.label(default = "//tests/hygiene:clang_tidy.sh", executable = True, cfg = "host", allow_single_file = True),
        _config = attr.label(default = "//:.clang-tidy", allow_single_file = True),
        _own_code_only = attr.label(default = "//tests/hygiene:own_code_only", allow_single_file = True),
    ),
    fragments = ["cpp"],
)

def _test_impl(ctx):
    reports = [report for target in ctx.attr.targets for report in target[ClangTidyInfo].reports]
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
    attrs = {"targets": attr.label_list(aspects = [_clang_tidy_aspect])},
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
