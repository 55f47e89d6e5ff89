"""The C++ rules under the name from which every BUILD file loads them: Bazel's built-in ones, with precompiled headers."""

load("@verbena//third_party/precompiled:begins.bzl", "precompiled_for")

def _compile(rule, name, srcs = [], copts = [], deps = [], test = False, **kwargs):
    # Sources that are compiled otherwise than the headers cannot begin with them.
    if srcs and not copts:
        headers = precompiled_for(native.package_name(), test)
        # Sources depend on the headers that are precompiled (-fpch-deps), too.
        copts = ["-fpch-deps", "-include", "third_party/precompiled/%s.h" % headers, "-Winvalid-pch"]
        deps = deps + ["@verbena//third_party/precompiled:" + headers]
    rule(name = name, srcs = srcs, copts = copts, deps = deps, **kwargs)

def cc_binary(**kwargs):
    _compile(native.cc_binary, **kwargs)

def cc_library(**kwargs):
    _compile(native.cc_library, **kwargs)

def cc_test(**kwargs):
    _compile(native.cc_test, test = True, **kwargs)

cc_import = native.cc_import
cc_proto_library = native.cc_proto_library
cc_toolchain = native.cc_toolchain
cc_toolchain_suite = native.cc_toolchain_suite
