"""Texts of a decoder by onnxruntime alone: one at a time, the whole prompt in one run, always the token with the highest score."""
import numpy as np, onnxruntime

TYPES = {"tensor(float)": np.float32, "tensor(float16)": np.float16, "tensor(int64)": np.int64, "tensor(int32)": np.int32, "tensor(bool)": np.bool_}


def opened(path):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def empty(info):
    """A cache that nothing is in: of one text, and without positions."""
    dims = [1 if at == 0 else size if isinstance(size, int) else 0 for at, size in enumerate(info.shape)]
    return np.zeros(dims, TYPES[info.type])


def text_of(session, prompt, given, count):
    """The tokens after a prompt, and the least distance between the highest score and the next one, as a share of the largest."""
    inputs = {info.name: info for info in session.get_inputs()}
    outputs = [info.name for info in session.get_outputs()]
    caches = {name: empty(info) for name, info in inputs.items() if name.startswith("past")}
    tokens, distance, next_tokens = [], np.inf, list(prompt)
    while len(tokens) < count:
        length = len(prompt) + len(tokens)
        positions = np.arange(length - len(next_tokens), length)
        known = {
            "input_ids": np.array([next_tokens]),
            "attention_mask": np.ones((1, length)),
            "position_ids": positions[None],
            "cache_position": positions,
            "use_cache_branch": np.array([len(tokens) > 0]),
        }
        feeds = {name: value.astype(TYPES[inputs[name].type]) for name, value in known.items() if name in inputs}
        feeds |= {name: value for name, value in given.items() if name in inputs} | caches
        found = dict(zip(outputs, session.run(None, feeds)))
        scores = found["logits"][0, -1].astype(np.float64)
        second, first = np.sort(scores)[-2:]
        distance = min(distance, (first - second) / np.abs(scores).max())
        tokens.append(int(scores.argmax()))
        next_tokens = tokens[-1:]
        # What an encoder has returned fills its caches in the first run; later ones return none.
        after = {name: found[name.replace("past_key_values", "present")] for name in caches if ".encoder." not in name or len(tokens) == 1}
        caches |= after
    return tokens, distance
