"""Trains the language classifier and writes it as ONNX. How to run it: README.md beside this file.

The training texts are few (about 9,000 characters a language) and all of one kind, a declaration of rights, while the
model is asked about anything. So half of what it sees are runs of text cut at random places, from one letter to 256, and
half are words of the language in random order, rare words as often as common ones can bear: what carries over to other
texts is how a language spells and inflects, not how a declaration goes.
"""

import argparse
import json
import math
import pathlib
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

MAX_LENGTH = 256
LETTERS_PER_BATCH = 16384
LONG_WORD = 14  # scripts without spaces have longer "words" than this on average; they are cut into pieces


class Texts:
    """The training texts of one language, and ways to draw samples from them."""

    def __init__(self, paragraphs, space, random):
        self.random, self.space = random, space
        self.run = np.concatenate([part for ids in paragraphs for part in (ids, [space])]).astype(np.int64)
        self.word_starts = np.concatenate([[0], np.flatnonzero(self.run == space)[:-1] + 1])
        words = np.split(self.run, self.word_starts[1:])
        if np.mean([len(word) for word in words]) > LONG_WORD:
            pieces = [range(0, len(word), random.integers(2, 7)) for word in words]
            words = [word[start : start + step.step] for word, step in zip(words, pieces) for start in step]
        kinds, counts = np.unique(np.array([word.tobytes() for word in words], dtype=object), return_counts=True)
        self.words = [np.frombuffer(word, np.int64) for word in kinds]
        self.odds = np.sqrt(counts) / np.sqrt(counts).sum()

    def sample(self, length):
        """At most `length` ids. The last word is mostly whole, and otherwise cut short, as while somebody types it."""
        cut = self.shuffled_words(length) if self.random.random() < 0.5 else self.slice(length)
        cut = cut[:length]
        spaces = np.flatnonzero(cut == self.space)
        if self.random.random() < 0.6 and len(spaces) > 0:
            cut = cut[: spaces[-1]]
        letters = np.flatnonzero(cut != self.space)
        return cut[letters[0] : letters[-1] + 1] if len(letters) > 0 else self.sample(length)

    def slice(self, length):
        at_word = self.random.random() < 0.85
        start = self.random.choice(self.word_starts) if at_word else self.random.integers(len(self.run))
        start = min(start, max(0, len(self.run) - length))
        return self.run[start : start + length]

    def shuffled_words(self, length):
        count = length // 3 + 1
        return np.concatenate([self.words[i] for i in self.random.choice(len(self.words), count, p=self.odds)])


def draw_batch(languages, scripts, random):
    """Samples of about one length: ids and mask [rows, length], and the languages' numbers [rows]."""
    longest = int(math.exp(random.uniform(math.log(2), math.log(MAX_LENGTH + 1))))
    rows = min(512, LETTERS_PER_BATCH // longest)
    labels = random.integers(len(languages), size=rows)
    ids = np.zeros((rows, longest), np.int64)
    for row, label in enumerate(labels):
        sample = languages[label].sample(random.integers((longest + 1) // 2, longest + 1))
        ids[row, : len(sample)] = sample
    mask = ids != 0
    # Letters that the alphabet lacks stand as their script's id: teach these ids, which training texts hardly hold.
    hidden = random.random(ids.shape) < random.choice([0, 0.02, 0.1], size=(rows, 1))
    ids = np.where(hidden, scripts[ids], ids)
    return torch.from_numpy(ids), torch.from_numpy(mask), torch.from_numpy(labels)


class LanguageClassifier(nn.Module):
    """Two convolutions, which see 9 letters at once, then the mean and the maximum over the text. All that is padded is
    set to 0 before each step that looks across letters, as if the text ended there."""

    def __init__(self, vocabulary, languages, letter_width=32, first_width=96, width=160, hidden=128):
        super().__init__()
        self.letters = nn.Embedding(vocabulary, letter_width)
        self.first = nn.Conv1d(letter_width, first_width, 5, padding=2)
        self.second = nn.Conv1d(first_width, width, 5, padding=2)
        self.hidden = nn.Linear(2 * width, hidden)
        self.scores = nn.Linear(hidden, languages)
        self.dropout = nn.Dropout(0.2)

    def forward(self, ids, mask):
        mask = mask.to(torch.float32).unsqueeze(1)
        letters = self.letters(ids).transpose(1, 2) * mask
        near = F.relu(self.first(letters)) * mask
        far = F.relu(self.second(self.dropout(near))) * mask
        mean = far.sum(2) / mask.sum(2).clamp(min=1)
        summary = self.dropout(torch.cat([mean, far.amax(2)], 1))
        return self.scores(self.dropout(F.relu(self.hidden(summary))))


def train(model, corpus, steps, random):
    languages = [
        Texts([np.array(p["ids"]) for p in corpus["paragraphs"] if p["language"] == number], corpus["space"], random)
        for number in range(len(corpus["languages"]))
    ]
    scripts = np.arange(corpus["vocabularySize"])
    for letter, script in corpus["scriptIds"]:
        scripts[letter] = script
    optimizer = torch.optim.AdamW(model.parameters(), weight_decay=0.05)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.004, steps, pct_start=0.1)
    started, total = time.monotonic(), 0.0
    model.train()
    for step in range(1, steps + 1):
        ids, mask, labels = draw_batch(languages, scripts, random)
        loss = F.cross_entropy(model(ids, mask), labels, label_smoothing=0.02)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        total += loss.item()
        if step % 500 == 0:
            print(f"step {step}/{steps} loss {total / 500:.4f} {time.monotonic() - started:.0f} s", flush=True)
            total = 0.0


def export(model, path):
    model.eval()
    example = torch.ones(2, 7, dtype=torch.int32)
    text = {0: "batch", 1: "length"}
    torch.onnx.export(
        model,
        (example, example),
        path,
        input_names=["ids", "mask"],
        output_names=["logits"],
        dynamic_axes={"ids": text, "mask": text, "logits": {0: "batch"}},
        opset_version=17,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=pathlib.Path, required=True, help="the file that prepare.mjs wrote")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the ONNX file to write")
    parser.add_argument("--steps", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    torch.set_num_threads(1)  # one thread, so that the same seed gives the same weights
    torch.manual_seed(options.seed)
    corpus = json.loads(options.corpus.read_text())
    model = LanguageClassifier(corpus["vocabularySize"], len(corpus["languages"]))
    train(model, corpus, options.steps, np.random.default_rng(options.seed))
    export(model, options.out)
    print(f"{options.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
