"""Makes the decoders by their exporters: `python make.py FOLDER` writes each file, and decoders.json with prompts and the text of each."""
import json, os, shutil, sys, tempfile, warnings

warnings.filterwarnings("ignore")
import numpy as np
from exported import KINDS, VOCABULARY
from texts import opened, text_of

TEXTS = 6
TOKENS = 12
LEAST_DIFFERENT = 4


def prompt_of(random, index, given):
    """A few tokens. With an encoder, mostly the one that begins a text."""
    begun = [2] if given else []
    return begun + random.randint(3, VOCABULARY, index % 4 * 3 if given else 1 + index % 4 * 3).tolist()


def given_of(random, index, shapes):
    """What an encoder may have returned, and its mask, without the batch."""
    length = 4 + index % 2 * 2
    size = shapes.get("encoder_hidden_states", [0])[-1]
    states = np.round(random.randn(length, size), 2).astype(np.float32)
    both = {"encoder_hidden_states": states, "encoder_attention_mask": np.ones(length, np.int64)}
    return {name: value for name, value in both.items() if name in shapes}


def texts_of(path, kind):
    """Texts of several tokens that are far from the next best ones. Prompts that have none are passed over."""
    session, random, found = opened(path), np.random.RandomState(7), []
    shapes = {info.name: info.shape for info in session.get_inputs()}
    for _ in range(2000):
        prompt = prompt_of(random, len(found), kind["given"])
        given = given_of(random, len(found), shapes)
        tokens, distance = text_of(session, prompt, {name: value[None] for name, value in given.items()}, TOKENS)
        if distance < kind["far"] or len(set(tokens)) < LEAST_DIFFERENT:
            continue
        plain = {name: {"dims": value.shape, "values": [float(f"{number:g}") for number in value.ravel()]} for name, value in given.items()}
        found.append({"prompt": prompt, "given": plain, "tokens": tokens})
        if len(found) == TEXTS:
            return found
    raise RuntimeError(f"{kind['name']}: too few texts")


def write(folder):
    os.makedirs(folder, exist_ok=True)
    rows = []
    for kind in KINDS:
        file = f"{kind['name']}.onnx"
        with tempfile.TemporaryDirectory() as made:
            shutil.copyfile(kind["make"](made), os.path.join(folder, file))
        texts = texts_of(os.path.join(folder, file), kind)
        rows.append({name: kind[name] for name in ("name", "exporter", "what", "sharing")} | {"file": file, "texts": texts})
    with open(os.path.join(folder, "decoders.json"), "w") as opened_file:
        lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
        opened_file.write(f"[\n{lines}\n]\n")
    print(f"{len(rows)} decoders in {folder}")


write(sys.argv[1])
