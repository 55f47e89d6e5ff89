"""The protocol buffer rules that Bazel's own BUILD files load; nothing here uses them."""

proto_lang_toolchain = native.proto_lang_toolchain
proto_library = native.proto_library
