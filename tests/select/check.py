#!/usr/bin/env python3
"""Checks the counts and labels of a data set: check.py first|second|third. Prints counts and faults only (prompts by line
number)."""
import collections, json, pathlib, re, sys, unicodedata

SET = sys.argv[1]
HERE = pathlib.Path(__file__).parent / SET
# Prompts of a half, those of them that are English in each, those that want nothing; memories of each type; English memories.
PROMPTS, ENGLISH, NOTHING, TYPES, EN_MEMORIES = {
    "first": (45, (30, 30), 15, {"user": 25, "feedback": 35, "project": 41, "reference": 19}, 85),
    "second": (48, (34, 34), 16, {"user": 17, "feedback": 29, "project": 58, "reference": 16}, 89),
    "third": (45, (33, 31), 15, {"user": 2, "feedback": 13, "project": 86, "reference": 19}, 85),
}[SET]
FIT = (PROMPTS - NOTHING) // 2
bad = []


def fault(cond, msg):
    if not cond:
        bad.append(msg)


STOP = set("""
a an the this that these those it its he she they them his her their we us our you your i me my mine and or but not no nor
of in on at to from for with without by as into onto than then so if when while where what which who whom whose why how
is are was were be been being am do does did done doing have has had having can could should would will shall may might must
there here all any each every some one ones other others another only own same such very too also just now never ever always
up down out off over under about after before again once more most less few many much get gets got give gives go goes make
makes let lets put keep kept way rather than they're don't dont isnt cant pls please yet still both between per via
un una unos unas el la los las lo le les se su sus mi tu me te nos de del al a en con sin por para y o u e ni que qué como
cómo cuando donde dónde si sí no es son era fue ser estar está están estaba hay ha han he haber más menos muy ya esto esta
este estos estas ese esa eso aquel todo toda todos todas nada cada otro otra otros otras solo sólo también antes después
desde hasta entre sobre hay que qué quien cual cuanto ahora hoy ahí aquí nunca siempre una vez haz hazme pon mete da dan van va
""".split())


def plain(s):
    s = unicodedata.normalize("NFKD", s)
    return "".join(c for c in s if not unicodedata.combining(c)).lower()


STOPP = {plain(w) for w in STOP}


def stems(text):
    text = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text)
    out = set()
    for w in re.findall(r"[a-z0-9]+", plain(text.replace("'", ""))):
        if w in STOPP or len(w) < 3:
            continue
        if len(w) > 3 and w.endswith("s"):
            w = w[:-1]
        out.add(w[:5])
    return out


def common(a, b):
    """Equal stems, or a stem of 4+ letters that begins the other one."""
    return {(x, y) for x in a for y in b
            if x == y or (min(len(x), len(y)) >= 4 and (x.startswith(y) or y.startswith(x)))}


ES = set("el la los las un una de del que se con por para y es en no al lo cuando aplica su si ya sin hay solo".split())
EN = set("the a an of that is in on and to with for by it not when applies from are or never was use only be".split())


def lang_of(m):
    w = re.findall(r"[a-z]+", plain(m["description"] + " " + m["body"]))
    es = sum(x in ES for x in w)
    en = sum(x in EN for x in w)
    return "es" if es > en else "en"


def load(name):
    return [json.loads(l) for l in (HERE / name).read_text(encoding="utf8").splitlines()]


mem = load("memories.jsonl")
fault(len(mem) == 120, f"{len(mem)} memories")
by = {m["name"]: m for m in mem}
fault(len(by) == 120, "names not unique")
for m in mem:
    n = m["name"]
    fault([key for key in m if key != "topic"] == ["name", "description", "type", "body"], f"{n}: keys")
    fault(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+){1,5}", n), f"{n}: name form")
    fault(0 < len(m["description"]) <= 140 and "\n" not in m["description"], f"{n}: description")
    fault(100 < len(m["body"]) <= 700, f"{n}: body length {len(m['body'])}")
    sent = len(re.findall(r"[.?!][\"'`*)]*(?=\s|$)", m["body"]))
    fault(1 <= sent <= 7, f"{n}: {sent} sentences")
    fault(m["type"] in ("user", "feedback", "project", "reference"), f"{n}: type")
types = collections.Counter(m["type"] for m in mem)
fault(types == TYPES, f"types {types}")
topics = collections.Counter(m["topic"] for m in mem if "topic" in m)
fault(not topics or 10 <= len(topics) <= 14 and min(topics.values()) >= 6, f"topics {topics}")
langs = collections.Counter(lang_of(m) for m in mem)
fault(langs == {"en": EN_MEMORIES, "es": 120 - EN_MEMORIES}, f"languages of memories {langs}")

seen = set()
for f in ("prompts-dev.jsonl", "prompts-held.jsonl"):
    ps = load(f)
    fault(len(ps) == PROMPTS, f"{f}: {len(ps)} prompts")
    english = sum(p["lang"] == "en" for p in ps)
    fault(english == ENGLISH[f == "prompts-held.jsonl"] and sum(p["lang"] == "es" for p in ps) == PROMPTS - english, f"{f}: languages")
    fault(sum(not p["wants"] for p in ps) == NOTHING, f"{f}: prompts that want nothing")
    fit = [p for p in ps if p["wants"]]
    fault(sum(p["overlap"] for p in fit) == FIT and sum(not p["overlap"] for p in fit) == FIT, f"{f}: overlap counts")
    cross = 0
    for i, p in enumerate(ps, 1):
        at = f"{f}:{i}"
        fault(list(p) == ["prompt", "wants", "lang", "overlap"], f"{at}: keys")
        fault(4 <= len(p["prompt"].split()) <= 40, f"{at}: {len(p['prompt'].split())} words")
        key = plain(p["prompt"])
        fault(key not in seen, f"{at}: prompt twice")
        seen.add(key)
        fault(len(p["wants"]) <= 3 and len(set(p["wants"])) == len(p["wants"]), f"{at}: wants")
        for w in p["wants"]:
            fault(w in by, f"{at}: unknown {w}")
        ws = [by[w] for w in p["wants"] if w in by]
        cross += any(lang_of(m) != p["lang"] for m in ws)
        a = stems(p["prompt"])
        hit = set()
        for m in ws:
            hit |= {(m["name"],) + c for c in common(a, stems(m["name"] + " " + m["description"]))}
        if not ws:
            fault(p["overlap"] is False, f"{at}: overlap of a prompt that wants nothing")
        elif p["overlap"]:
            fault(hit, f"{at}: overlap true but nothing shared {p['wants']}")
        else:
            fault(not hit, f"{at}: overlap false but shared {sorted(hit)}")
    fault(SET != "first" or cross in (2, 3), f"{f}: {cross} prompts want a note in the other language")
    body = sum(any(common(stems(p["prompt"]), stems(by[w]["body"])) for w in p["wants"]) for p in fit if not p["overlap"])
    n = collections.Counter(len(p["wants"]) for p in ps)
    # how many stems of the nothing-prompts do occur in some note
    allst = set().union(*(stems(m["name"] + " " + m["description"] + " " + m["body"]) for m in mem))
    trap = sum(len(stems(p["prompt"]) & allst) >= 2 for p in ps if not p["wants"])
    print(f"{f}: {len(ps)} prompts, wants {dict(sorted(n.items()))}, overlap true {sum(p['overlap'] for p in fit)}, "
          f"false {sum(not p['overlap'] for p in fit)} ({body} of them share a word with a wanted body), "
          f"other language {cross}, nothing-prompts with 2+ words known to the notes {trap}, "
          f"distinct notes wanted {len({w for p in ps for w in p['wants']})}")
print(f"memories: {len(mem)}, types {dict(types)}, languages {dict(langs)}, topics {dict(topics)}")
print("\n".join(bad) if bad else "OK")
sys.exit(bool(bad))
