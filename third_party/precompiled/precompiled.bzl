"""Precompiled headers: what nearly all sources include is parsed once, not by each."""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "CPP_COMPILE_ACTION_NAME")
load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

PrecompiledInfo = provider(
    "The text of a precompiled header.",
    fields = {"header": "The file.", "own": "The repository's headers that it includes."},
)

def _impl(ctx):
    header = ctx.actions.declare_file(ctx.label.name + ".h")
    ctx.actions.write(header, "".join(
        ["#include <%s>\n" % include for include in ctx.attr.includes] + ["#include \"%s\"\n" % include for include in ctx.attr.own],
    ))
    own = cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in ctx.attr.deps]).compilation_context.headers
    precompiled = ctx.actions.declare_file(ctx.label.name + ".h.gch")
    dependencies = ctx.actions.declare_file(ctx.label.name + ".h.d")
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    variables = cc_common.create_compile_variables(
        feature_configuration = features,
        cc_toolchain = toolchain,
        source_file = header.path,
        output_file = precompiled.path,
        use_pic = True,
        quote_include_directories = depset(["."]),
        # It keeps what it depends on, for -fpch-deps, only if that is written down, too.
        user_compile_flags = ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts + [
            "-x",
            "c++-header",
            "-MD",
            "-MF",
            dependencies.path,
        ],
    )
    ctx.actions.run(
        executable = cc_common.get_tool_for_action(feature_configuration = features, action_name = CPP_COMPILE_ACTION_NAME),
        arguments = cc_common.get_memory_inefficient_command_line(
            feature_configuration = features,
            action_name = CPP_COMPILE_ACTION_NAME,
            variables = variables,
        ),
        env = cc_common.get_environment_variables(
            feature_configuration = features,
            action_name = CPP_COMPILE_ACTION_NAME,
            variables = variables,
        ),
        inputs = depset([header], transitive = [toolchain.all_files, own]),
        outputs = [precompiled, dependencies],
        mnemonic = "Precompile",
        progress_message = "Precompiling " + header.short_path,
    )
    compilation_context = cc_common.create_compilation_context(headers = depset([header, precompiled], transitive = [own]))
    return [
        CcInfo(compilation_context = compilation_context),
        DefaultInfo(files = depset([header])),
        PrecompiledInfo(header = header, own = own),
    ]

precompiled_header = rule(
    implementation = _impl,
    attrs = {
        "includes": attr.string_list(doc = "The system's headers, in the form in which they stand between < and >."),
        "own": attr.string_list(doc = "The repository's headers."),
        "deps": attr.label_list(doc = "Libraries of these.", providers = [CcInfo]),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
    incompatible_use_toolchain_transition = True,
)
