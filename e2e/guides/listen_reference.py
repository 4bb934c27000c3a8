"""Computes what the example apps/examples/listen must show, with numpy alone, and writes listen-reference.json.

Run it after `npm run build`: python3 e2e/guides/listen_reference.py
"""

import json
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
MODELS = HERE / "../../models/dist"
RATE, SECONDS = 16_000, 3


def fields(data):
    """Yields the fields of a protobuf message: number and value (an integer or bytes)."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        elif key & 7 == 2:
            length = varint()
            yield key >> 3, data[at : at + length]
            at += length
        else:
            raise ValueError(f"a field of wire type {key & 7}")


def all_of(data, number):
    return [value for found, value in fields(data) if found == number]


def integers(data, number):
    """The integers of a repeated field, packed or not."""
    found = all_of(data, number)
    if found and isinstance(found[0], bytes):
        packed = b"".join(b"\x08" + each for each in split_varints(found[0]))
        found = all_of(packed, 1)
    return [value - (1 << 64) if value >= 1 << 63 else value for value in found]


def split_varints(data):
    start = 0
    for at, byte in enumerate(data):
        if byte < 128:
            yield data[start : at + 1]
            start = at + 1


def tensor(data):
    dtype = {1: "<f4", 7: "<i8"}[all_of(data, 2)[0]]
    return all_of(data, 8)[0].decode(), np.frombuffer(all_of(data, 9)[0], dtype).reshape(integers(data, 1))


def attributes(node):
    result = {}
    for data in all_of(node, 5):
        ints = integers(data, 8)
        result[all_of(data, 1)[0].decode()] = ints or (integers(data, 3) or [0])[0]
    return result


class Model:
    """Runs an ONNX file of this repository, in float64."""

    def __init__(self, name):
        graph = all_of((MODELS / f"{name}.onnx").read_bytes(), 7)[0]
        self.constants = dict(tensor(data) for data in all_of(graph, 5))
        self.nodes = [
            (
                all_of(node, 4)[0].decode(),
                [name.decode() for name in all_of(node, 1)],
                [name.decode() for name in all_of(node, 2)],
                attributes(node),
            )
            for node in all_of(graph, 1)
        ]

    def run(self, **feeds):
        values = {**self.constants, **feeds}
        for operation, inputs, outputs, options in self.nodes:
            result = OPERATIONS[operation](*(values[name] for name in inputs), **options)
            values.update(zip(outputs, result if isinstance(result, list) else [result]))
        return values


def conv(x, weights, bias=None, strides=None, pads=None, kernel_shape=None):
    rank = weights.ndim - 2
    pads, strides = pads or [0] * 2 * rank, strides or [1] * rank
    x = np.pad(x.astype(np.float64), [(0, 0), (0, 0), *zip(pads[:rank], pads[rank:])])
    windows = np.lib.stride_tricks.sliding_window_view(x, weights.shape[2:], axis=tuple(range(2, 2 + rank)))
    windows = windows[(slice(None), slice(None), *(slice(None, None, step) for step in strides))]
    axes = [1, *range(2 + rank, 2 + 2 * rank)]
    result = np.tensordot(windows, weights, (axes, list(range(1, 2 + rank))))
    result = np.moveaxis(result, -1, 1)
    return result if bias is None else result + bias.reshape(-1, *[1] * rank)


def max_pool(x, kernel_shape, strides):
    height, width = x.shape[2] // 2, x.shape[3] // 2
    return x[:, :, : 2 * height, : 2 * width].reshape(*x.shape[:2], height, 2, width, 2).max((3, 5))


OPERATIONS = {
    "Abs": np.abs,
    "Add": np.add,
    "Cast": lambda x, to: x.astype(np.float64),
    "Concat": lambda *parts, axis: np.concatenate(parts, axis),
    "Conv": conv,
    "Div": np.divide,
    "Flatten": lambda x: x.reshape(len(x), -1),
    "Gather": lambda x, index, axis: np.take(x, index, axis),
    "Gemm": lambda x, weights, bias, transB: x @ weights.T + bias,
    "GlobalAveragePool": lambda x: x.mean((2, 3), keepdims=True),
    "Identity": lambda x: x,
    "Log": np.log,
    "MaxPool": max_pool,
    "Mul": np.multiply,
    "ReduceMean": lambda x, axes, keepdims: x.mean(tuple(axes), keepdims=bool(keepdims)),
    "Relu": lambda x: np.maximum(x, 0),
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "Split": lambda x, axis: np.split(x, 4, axis),
    "Tanh": np.tanh,
    "Transpose": lambda x, perm: x.transpose(perm),
    "Unsqueeze": lambda x, axes: np.expand_dims(x, tuple(axes)),
}


def push(buffer, added):
    return np.concatenate([buffer, added])[len(added) :]


def tone(hertz):
    t = np.arange(SECONDS * RATE) / RATE
    return (np.sin(2 * np.pi * hertz * t) * (0.5 + 0.5 * np.sin(6 * np.pi * t))).astype(np.float32)


def frames(sound, size):
    return [sound[start : start + size] for start in range(0, len(sound) - size + 1, size)]


def words_of(sound):
    samples, bands, embeddings = np.zeros(1520), np.zeros((76, 32)), np.zeros((16, 96))
    for frame in frames(sound, 1280):
        samples = push(samples, frame)
        bands = push(bands, MEL.run(samples=samples[None])["mel"][0])
        embeddings = push(embeddings, EMBEDDING.run(mel=bands[None])["embedding"])
    return [float(word.run(embeddings=embeddings[None])["score"][0, 0]) for word in WORDS]


def voice_of(sound):
    samples, state, score = np.zeros(576), np.zeros((2, 1, 128)), 0.0
    for frame in frames(sound, 512):
        samples = push(samples, frame)
        values = VOICE.run(input=samples[None], state=state, sr=np.array(16_000))
        state, score = values["stateN"], float(values["output"][0, 0])
    return score


MEL, EMBEDDING, VOICE = (Model(f"audio-{name}") for name in ("mel", "embedding", "voice"))
WORDS = [Model(f"audio-word-{width}") for width in (64, 96, 128)]

scores = {}
for hertz in (110, 220, 440, 880):
    sound = tone(hertz)
    scores[f"{hertz} Hz"] = {"words": words_of(sound), "voice": voice_of(sound)}
(HERE / "listen-reference.json").write_text(json.dumps(scores, indent=2) + "\n")
