"""The Java rules that Bazel's own BUILD files load; nothing here is Java."""

java_binary = native.java_binary
java_import = native.java_import
java_library = native.java_library
java_plugin = native.java_plugin
java_runtime = native.java_runtime
java_runtime_alias = native.java_runtime_alias
java_test = native.java_test
java_toolchain = native.java_toolchain
