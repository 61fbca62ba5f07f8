"""The version; the C header has the same, and the build compares them."""
VERSION = "0.1.0"
