"""The small ways in which scripts/mutate breaks a file of C++ that has the form scripts/format gives it."""
import re


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def code_of(text):
    """The text with all that is not to be broken blanked out, each character in its place."""
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', lambda m: '"' + "_" * (len(m.group()) - 2) + '"', text)
    text = re.sub(r"(?<!\w)'(?:\\.|[^'\\\n])'", lambda m: "'" + "_" * (len(m.group()) - 2) + "'", text)
    text = re.sub(r"//[^\n]*|/\*.*?\*/", blank, text, flags=re.S)
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.M)
    # What a fault of a caller is and what is said about it, memory set aside, what the compiler checks, options: not what
    # is computed.
    return re.sub(r"\b(?:throw|check|static_assert|using|visit)\b[^;]*;|\.reserve\([^;]*;", blank, text)


PAIRS = {"(": ")", "[": "]", "{": "}"}


def closing(code, start):
    """Where the bracket that opens at `start` closes, or -1."""
    waiting = []
    for at in range(start, len(code)):
        if code[at] in PAIRS:
            waiting.append(PAIRS[code[at]])
        elif code[at] in PAIRS.values():
            if not waiting or waiting.pop() != code[at]:
                return -1
            if not waiting:
                return at
    return -1


def arguments(code, opening):
    """The spans of a call's arguments; empty where the bracket does not close."""
    end, spans, at = closing(code, opening), [], opening + 1
    start = at
    while at < end:
        if code[at] in PAIRS:
            at = closing(code, at)
        elif code[at] == ",":
            spans.append((start, at))
            start = at + 1
        at += 1
    if end > opening + 1:
        spans.append((start, end))
    strip = lambda a, b: (a + len(code[a:b]) - len(code[a:b].lstrip()), a + len(code[a:b].rstrip()))
    return [strip(a, b) for a, b in spans]


STOPS = {"+": r" [-+<>=!&|?:][<>=&|]? |[,;]", "*": r" [-+*/%<>=!&|?:][<>=&|]? |[,;]", "&&": r" (?:&&|\|\||[?:]) |[,;]"}
STOPS.update({"-": STOPS["+"], "/": STOPS["*"], "||": STOPS["&&"]})


def term_end(code, operator, at):
    """Where the term to the right of an operator ends."""
    stop = re.compile(STOPS[operator])
    while at < len(code) and code[at] not in ")]}" and not stop.match(code, at):
        at = closing(code, at) if code[at] in PAIRS else at
        if at < 0:
            return -1
        at += 1
    return at


OPERATORS = {
    "+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=",
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
}
NAMES = {
    "tanh": "sigmoid", "sigmoid": "tanh", "relu": "tanh", "softplus": "relu", "min": "max", "max": "min", "exp": "log1p",
    "log1p": "exp", "log": "exp", "sin": "cos", "cos": "sin", "sqrt": "exp", "masked_softmax": "masked_sigmoid",
    "masked_sigmoid": "masked_softmax", "sparsemax": "masked_softmax", "entmax": "sparsemax", "add": "multiply",
    "multiply": "add", "broadcast_add": "broadcast_multiply", "broadcast_multiply": "broadcast_add", "max_element": "min_element",
    "min_element": "max_element", "upper_bound": "lower_bound", "lower_bound": "upper_bound", "any_of": "all_of",
    "all_of": "any_of", "none_of": "any_of", "floor": "ceil", "ceil": "floor", "reciprocal": "exp",
}
COMMUTE = {"add", "multiply", "min", "max"}
PEELED = {"add", "multiply", "tanh", "sigmoid", "relu", "scale", "shift", "softplus", "reciprocal", "scale_rows", "add_row",
          "exp", "log", "sqrt", "unit_rows", "rotate", "add_products", "swap_axes"}
DECLARATION = re.compile(r"(?:const )?[\w:]+(?:<.*>)?[&*]{0,2} &?\w+(?: =.*| \{.*)?$|(?:const )?[\w:<>]+[&*]{1,2}$", re.S)


def breaks(text):
    """All small breaks of a file: (start, end, replacement), in order."""
    code, found = code_of(text), []

    def put(start, end, new):
        if text[start:end] != new:
            found.append((start, end, new))

    # The form of the code tells operators from pointers and templates: they stand between spaces.
    for m in re.finditer(r"(?<=[ \n])([-+*/%]=?|[<>]=?|[=!]=|&&|\|\|)(?=[ \n])", code):
        if m.group() in OPERATORS and not (m.group() == "+" and code[m.end() + 1] == '"'):  # texts are only joined
            put(m.start(), m.end(), OPERATORS[m.group()])
        if m.group() in STOPS:  # a term dropped
            end = term_end(code, m.group(), m.end() + 1)
            if end > m.end() + 1:
                put(m.start() - 1, end, "")
    for m in re.finditer(r"(?<=[(\[ ,{])-(?=[\w(])", code):
        put(m.start(), m.end(), "")
    for m in re.finditer(r"(?<=[( ])!(?=[\w(])", code):
        put(m.start(), m.end(), "")
    for m in re.finditer(r"(?<![\w.'])(?<!p-)\d+(?![\w.'])", code):
        n = int(m.group())
        put(m.start(), m.end(), str(n + 1))
        if n > 0:
            put(m.start(), m.end(), str(n - 1))
    for m in re.finditer(r"(?<![\w.'])(?:\d+\.\d+(?:e-?\d+)?|\d+e-?\d+)(?![\w.'])", code):
        if float(m.group()) == 0 or float(m.group()) > 1e-3:
            put(m.start(), m.end(), "(2 * %s + 1)" % m.group())
    for m in re.finditer(r"\b(?:true|false)\b", code):
        put(m.start(), m.end(), "false" if m.group() == "true" else "true")

    for m in re.finditer(r"\bif (?:constexpr )?\(", code):
        end = closing(code, m.end() - 1)
        if ";" not in code[m.end():end] and " = " not in code[m.end():end] and not text.startswith("!", m.end()):
            put(m.end(), end, "!(%s)" % text[m.end():end])
    for m in re.finditer(r"\b(\w+)\(", code):
        name, spans = m.group(1), arguments(code, m.end() - 1)
        parts = [text[a:b] for a, b in spans]
        if name == "sizeof" or not parts or any(DECLARATION.match(code[a:b]) for a, b in spans):
            continue
        if name in NAMES:
            put(m.start(1), m.end(1), NAMES[name])
        if name in PEELED and code[m.start() - 1] not in ":.":
            put(m.start(), closing(code, m.end() - 1) + 1, "(%s)" % parts[0])
        for (a, b), (c, d) in zip(spans, spans[1:]):
            plain = name not in COMMUTE and "\n" not in text[a:d] and "pass" not in (text[a:b], text[c:d])
            # A text, a list or a function changes its place with its like alone.
            alike = all((mark in text[a:b]) == (mark in text[c:d]) for mark in '"{') and "parameters" not in (text[a:b], text[c:d])
            if plain and alike and text[a:b] != text[c:d]:
                put(a, d, text[c:d] + text[b:c] + text[a:b])

    at = 0
    for line in code.split("\n"):
        whole = line.strip()
        start = at + len(line) - len(line.lstrip())
        at += len(line) + 1
        if closing("(" + whole + ")", 0) != len(whole) + 1:
            continue
        if re.match(r"[^ ;]+ (?:[-+*/|]?=) [^;]*;$|(?!return)[\w.:>-]+\([^;]*\);$|if \(.*\) [^;{]*;$|(?:break|continue);$", whole) \
                and not re.match(r"(?:const|auto|using|return|case|default)\b", whole) and not code[at:].lstrip().startswith("else"):
            put(start, start + len(whole), ";")
    return sorted(set(found))


class Mutant:
    def __init__(self, folder, file, text, start, end, new):
        self.folder, self.file, self.start = folder, file, start
        self.text = text[:start] + new + text[end:]
        self.line = text.count("\n", 0, start) + 1
        first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        self.old = " ".join(text[first:last].split())
        self.new = " ".join((text[first:start] + new + text[end:last]).split())

    def key(self):
        """What it is wherever its line stands."""
        return self.file, self.old, self.new

    def __str__(self):
        return f"{self.file}:{self.line}\n    - {self.old}\n    + {self.new}"


def mutants_of(root, folder, files):
    for file in files:
        text = (root / file).read_text()
        for start, end, new in breaks(text):
            yield Mutant(folder, str(file), text, start, end, new)


def read_equivalents(path):
    """The keys of the mutants that a file names: as they are printed, without the number of the line; # begins a reason."""
    lines = path.read_text().split("\n") if path.is_file() else []
    lines = [line for line in lines if line and not line.startswith("#")]
    keys = set()
    for at in range(0, len(lines), 3):
        file, old, new = (lines[at:at + 3] + ["", ""])[:3]
        if not (old.startswith("    - ") and new.startswith("    + ")):
            raise SystemExit(f'{path}: wanted a file, then a line with "    - " and one with "    + ", behind {file}')
        keys.add((file, old[6:], new[6:]))
    return keys
