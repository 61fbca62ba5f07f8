#!/usr/bin/env python3
"""Writes ucpo/_abi.py from include/ucpo.h: structs, enumerations and functions for ctypes.

    make_abi.py [--check]

--check compares instead of writing and exits with 1 if the header has changed. The header is plain enough
for regular expressions; what this script does not understand is an error, never skipped.
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
HEADER = HERE.parents[2] / "include" / "ucpo.h"
TARGET = HERE.parent / "ucpo" / "_abi.py"

PLAIN = {
    "int": "C.c_int", "unsigned": "C.c_uint", "long": "C.c_long", "size_t": "C.c_size_t", "double": "C.c_double",
    "float": "C.c_float", "int32_t": "C.c_int32", "uint32_t": "C.c_uint32", "int64_t": "C.c_int64",
    "uint64_t": "C.c_uint64", "uint8_t": "C.c_uint8", "char": "C.c_char",
}
COUNTS = {"threads", "rank", "ranks"}  # members of C type int that are numbers; all others are flags


class Header:
    def __init__(self, text):
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        text = re.sub(r"^static inline .*?^}$", "", text, flags=re.S | re.M)  # C's short forms of what is exported
        text = re.sub(r"^\s*#.*$", "", text, flags=re.M).replace("UCPO_API ", "")
        self.text = re.sub(r"\s+", " ", text)
        self.enums, self.structs, self.flags, self.functions = {}, {}, {}, {}
        self.read_enums()
        self.read_structs()
        self.read_functions()

    def read_enums(self):
        for body, name in re.findall(r"enum(?: \w+)? \{([^}]*)\}\s*(\w*);", self.text):
            values, following = {}, 0
            for item in filter(None, (part.strip() for part in body.split(","))):
                key, _, value = (part.strip() for part in item.partition("="))
                following = int(value, 0) if value else following
                values[key] = following
                following += 1
            self.enums[name or "_" + next(iter(values)).lower()] = values

    def type_of(self, words, stars):
        """The ctypes expression of a C type: words without const, and how many stars."""
        if len(words) != 1:
            raise SystemExit(f"make_abi.py: cannot read the type '{' '.join(words)}'")
        word = words[0]
        if word == "void":
            return "C.c_void_p" if stars == 1 else "C.POINTER(C.c_void_p)" if stars == 2 else "None"
        if word == "char" and stars:
            return {1: "C.c_char_p", 2: "C.POINTER(C.c_char_p)"}[stars]
        if word in PLAIN:
            inner = PLAIN[word]
        elif word in self.enums:
            inner = "C.c_int"
        elif word in self.structs:
            inner = word
        elif stars:  # an opaque handle
            return "C.c_void_p" if stars == 1 else "C.POINTER(C.c_void_p)"
        else:
            raise SystemExit(f"make_abi.py: unknown type '{word}'")
        for _ in range(stars):
            inner = f"C.POINTER({inner})"
        return inner

    def declared(self, text):
        """'const double *x, *y' to [(name, type)]; also arrays and pointers to functions."""
        call = re.fullmatch(r"(.+?)\(\*(\w+)\)\((.*)\)", text)
        if call:
            result = self.type_of(*self.split(call[1])[:2])
            arguments = [self.declared(part.strip())[0][1] for part in call[3].split(",")]
            arguments = ["C.c_void_p" if a.startswith("C.POINTER(C.c_float") else a for a in arguments]
            return [(call[2], f"C.CFUNCTYPE({', '.join([result] + arguments)})")]
        first, *others = [part.strip() for part in text.split(",")]
        words, stars, name, extent = self.split(first)
        found = [(name, self.with_extent(self.type_of(words, stars), extent))]
        for other in others:
            _, stars, name, extent = self.split("x " + other)
            found.append((name, self.with_extent(self.type_of(words, stars), extent)))
        return found

    @staticmethod
    def with_extent(kind, extent):
        return f"{kind} * {extent}" if extent else kind

    @staticmethod
    def split(text):
        extent = re.search(r"\[(\w+)\]$", text)
        text = re.sub(r"\[\w+\]$", "", text)
        stars = text.count("*")
        words = [w for w in text.replace("*", " ").split() if w not in ("const", "struct")]
        name = words.pop() if len(words) > 1 else ""
        return words, stars, name, extent[1] if extent else ""

    def read_structs(self):
        for body, name in re.findall(r"typedef struct \w+ \{([^}]*)\} (\w+);", self.text):
            self.structs[name] = None  # known before its own fields are read
            fields, flags = [], []
            for line in filter(None, (part.strip() for part in body.split(";"))):
                found = self.declared(line)
                fields += found
                if line.split()[0] == "int":
                    flags += [field for field, kind in found if kind == "C.c_int" and field not in COUNTS]
            self.structs[name] = fields
            self.flags[name] = flags

    def read_functions(self):
        text = re.sub(r"typedef (struct|enum) \w+ \{[^}]*\} \w+;", "", self.text)
        text = re.sub(r"typedef struct \w+ \w+;", "", text)
        for result, stars, name, arguments in re.findall(r"([\w ]+?) (\**)(ucpo_\w+)\(([^()]*)\);", text):
            words = [w for w in result.split() if w not in ("const", "extern")]
            given = [a.strip() for a in arguments.split(",") if a.strip() != "void"]
            named = [(self.declared(a)[0][0], self.as_argument(a)) for a in given]
            self.functions[name] = (self.type_of(words, len(stars)), named)

    def as_argument(self, text):
        if re.fullmatch(r"char \*\w+", text):  # room to write to, or bytes to free
            return "C.c_void_p"
        if re.fullmatch(r"char \*\*\w+", text):
            return "C.POINTER(C.c_void_p)"
        kind = self.declared(text)[0][1]
        kind = re.sub(r"^(.*) \* \w+$", r"C.POINTER(\1)", kind)
        # arrays of numbers and optional structs: any address, numpy's too
        return "C.c_void_p" if re.fullmatch(r"C\.POINTER\((C\.c_(double|int32|uint32|uint8|float)|ucpo_\w+)\)", kind) else kind


def write(header):
    lines = ['"""Made by bindings/python/tools/make_abi.py from include/ucpo.h; do not edit."""', "import ctypes as C", "",
             "from . import _values", ""]
    for name, values in header.enums.items():
        lines += ["", f"# {name.lstrip('_')}"]
        lines += [f"{key} = {value}" for key, value in values.items()]
    for name, fields in header.structs.items():
        lines += ["", "", f"class {name}(_values.Struct):", "    _fields_ = ["]
        lines += [f'        ("{field}", {kind}),' for field, kind in fields]
        lines += ["    ]"]
        if header.flags[name]:
            lines += ["    _flags_ = (" + ", ".join(f'"{field}"' for field in header.flags[name]) + ",)"]
    lines += ["", "", "FUNCTIONS = {"]
    for name, (result, kinds) in header.functions.items():
        arguments = ", ".join(f'("{argument}", {kind})' for argument, kind in kinds)
        lines.append(f'    "{name}": ({result}, [{arguments}]),')
    return "\n".join(lines + ["}"]) + "\n"


def main():
    source = HEADER.read_text()
    header = Header(source)
    declared = set(re.findall(r"^UCPO_API [^(]*?(ucpo_\w+)\(", source, flags=re.M))
    if declared != set(header.functions):
        raise SystemExit(f"make_abi.py: functions not understood: {sorted(declared ^ set(header.functions))}")
    text = write(header)
    if "--check" in sys.argv[1:]:
        if TARGET.read_text() != text:
            raise SystemExit("ucpo/_abi.py is older than include/ucpo.h: run bindings/python/tools/make_abi.py")
        return
    TARGET.write_text(text)


if __name__ == "__main__":
    main()
