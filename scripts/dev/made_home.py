"""What scripts/dev/bench and scripts/dev/guard measure the tools in: homes, made of seeds."""
import itertools, json, os, random, subprocess, time

ROOT = os.path.abspath(os.path.dirname(os.path.abspath(__file__)) + "/../..")
KB, MB, GB = 10**3, 10**6, 10**9
ID = "{:08x}-0000-4000-8000-000000000000"
CONFIG = '[compound_loop]\nenabled = true\nengine = "extract"\ndebounce_seconds = 0\nreprocess_min_growth_seconds = 0\n[memory]\nselect = "rank"\n'


def write(path, text):
    try:
        out = open(path, "w")
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path))
        out = open(path, "w")
    with out:
        out.write(text)
    return path


def aged(path, seconds=3600):
    """Its last change was so long ago: what changed now is waited for."""
    os.utime(path, (time.time() - seconds,) * 2)
    return path


def human(size):
    for unit, name in ((GB, "GB"), (MB, "MB"), (KB, "KB")):
        if size >= unit:
            return f"{size / unit:.3g} {name}"
    return str(size)


class Home:
    """A home in FOLDER with the loop on, for the tools in BIN, and a project of which CWD is the folder."""

    folder = bin = None

    def __init__(self, name, cwd="/src/app"):
        self.top, self.cwd = f"{Home.folder}/{name}", cwd
        self.agent = self.top + "/.claude"
        self.project = f"{self.agent}/projects/{''.join(c if c.isalnum() else '-' for c in cwd)}"
        self.memory = self.project + "/memory"
        self.env = {"HOME": self.top, "PATH": f"{Home.bin}:/usr/local/bin:/usr/bin:/bin", "TZ": "UTC", "LC_ALL": "C"}
        write(self.top + "/.config/lazy-harness/config.toml", CONFIG)

    def path(self, number=0):
        return f"{self.project}/{ID.format(number)}.jsonl"

    def payload(self, name, **fields):
        return write(f"{self.top}/{name}", json.dumps(dict(cwd=self.cwd, **fields)))

    def session(self, path, **fields):
        """The record of a transcript's session."""
        found = subprocess.run([Home.bin + "/lh-find-session", path], env=self.env, stdout=subprocess.PIPE, check=True).stdout
        return write(self.top + "/session-" + os.path.basename(path), json.dumps(dict(json.loads(found), **fields)) + "\n")

    def journals(self, lines):
        for kind in ("decision", "failure"):
            item = {"ts": "2026-04-13T10:00:00Z", "type": kind, "summary": "", "prevention": "x" * 300, "project": "app", "id": "", "grounded": True}
            journal = (json.dumps(dict(item, id=f"{n:016x}", summary=f"{words(8, n)} {n}")) + "\n" for n in range(lines))
            write(f"{self.memory}/{kind}s.jsonl", "".join(journal))

    def beside_tools(self, lines):
        """Journals, one item of which is on a file, pairs of what failed and what passed, and the switch."""
        self.journals(lines)
        item = {"ts": "2026-04-13T10:00:00Z", "type": "decision", "summary": "src/lock.rs has one lock", "id": "f" * 16, "grounded": True}
        with open(self.memory + "/decisions.jsonl", "a") as out:
            out.write(json.dumps(item) + "\n")
        fix = lambda n, name: json.dumps({"ts": "2026-04-13T10:00:00Z", "failed": f"{name} -q", "error": [f"sh: #: {name}: not found"], "passed": [f"uv run {name} -q"], "lines": [1, 2], "session_id": f"old-{n}"}) + "\n"
        write(self.memory + "/fixes.jsonl", "".join(fix(n, words(1, n)) for n in range(199)) + fix(199, "pytest"))
        write(self.top + "/.config/lazy-harness/config.toml", CONFIG + "at_tool = true\n")

    def pages(self, count):
        for n in range(count):
            day = f"{2024 + n % 30 // 12}-{n % 30 % 12 + 1:02}-{n // 30 % 28 + 1:02}"
            head = f"---\ntype: claude-session\nsession_id: {n}\ndate: {day} 18:32\ncwd: /other\nproject: other\nmessages: 4\n---\n"
            write(f"{self.top}/Documents/lazy-harness-knowledge/sessions/{day[:7]}/{day}-{n:08x}.md", head + words(60, n) + "\n")

    def done(self, count):
        """Tasks of which every second is so old that it goes."""
        folder = self.agent + "/queue/done/"
        ages = [aged(write(f"{folder}{1690000000 + n}-{n:08x}.task", ""), (60, 40 * 86400)[n]) for n in range(2)]
        for n in range(2, count):
            os.link(ages[n % 2], f"{folder}{1700000000 + n}-{n:08x}.task")

    def memories(self, count):
        """The labelled ones of the tests, again and again with other numbers."""
        notes = labelled("memories")
        for at in range(count):
            note = notes[at % len(notes)]
            write(f"{self.memory}/{note['name']}-{at}.md", f"---\nname: {note['name']}-{at}\ndescription: {note['description']} {at}\ntype: {note['type']}\n---\n\n{note['body']}\n")


def labelled(name):
    with open(f"{ROOT}/tests/select/second/{name}.jsonl") as lines:
        return [json.loads(line) for line in lines]


def words(count, seed):
    return " ".join(random.Random(seed).choices(VOCABULARY, cum_weights=WEIGHTS, k=count))


def vocabulary():
    """Five thousand made-up words, of which the first are frequent, as in a language."""
    chance = random.Random(39)
    made = dict.fromkeys("".join(chance.choice("bdfgklmnprstvz") + chance.choice("aeiou") for _ in range(chance.choice([1, 2, 2, 3, 3, 4]))) for _ in range(9000))
    made = sorted(made, key=lambda word: (len(word), chance.random()))[:5000]
    return made, list(itertools.accumulate(1 / (rank + 3) for rank in range(len(made))))


VOCABULARY, WEIGHTS = vocabulary()


def line(role, number, content, parent=None, time="2026-11-13T12:00:00.000Z"):
    """A record of a transcript."""
    message = {"role": role, "id": f"m{number}", "content": content if role == "user" else [{"type": "text", "text": content}]}
    return json.dumps({"parentUuid": parent, "isSidechain": False, "cwd": "/src/app", "type": role, "message": message, "uuid": f"{role}-{number}", "timestamp": time}) + "\n"
