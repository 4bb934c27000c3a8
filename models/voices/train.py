"""Trains the voice detector and writes its parameters. How to run it: README.md beside this file."""

import argparse
import pathlib
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

FRAMES = 250
POWERS = 64
MEMORY = 96
FLOOR = 1e-5
CLIPS_PER_BATCH = 32
HELD_OUT = 100


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(POWERS, MEMORY)
        self.unit = nn.GRU(MEMORY, MEMORY, batch_first=True)
        self.voice = nn.Linear(MEMORY, 1)

    def forward(self, powers):
        heard = F.relu(self.hidden(torch.log(powers + FLOOR)))
        return self.voice(self.unit(heard)[0]).squeeze(2)

    def parameters_in_order(self):
        unit = self.unit
        recurrent = [unit.weight_ih_l0, unit.bias_ih_l0, unit.weight_hh_l0, unit.bias_hh_l0]
        return [self.hidden.weight, self.hidden.bias, *recurrent, self.voice.weight, self.voice.bias]


def train(model, powers, speaks, steps, random):
    optimizer = torch.optim.AdamW(model.parameters(), weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.004, steps, pct_start=0.1)
    started, total = time.monotonic(), 0.0
    for step in range(1, steps + 1):
        clips = torch.from_numpy(random.integers(HELD_OUT, len(powers), CLIPS_PER_BATCH))
        # Louder and quieter microphones, and ones that hear high sounds worse.
        gain = torch.from_numpy(10 ** random.uniform(-1.5, 1, (CLIPS_PER_BATCH, 1, 1))).float()
        tilt = torch.from_numpy(random.uniform(-1, 0.5, (CLIPS_PER_BATCH, 1, 1))).float()
        bands = torch.linspace(0, 1, POWERS // 2).repeat(2)
        heard = powers[clips] * gain * 10 ** (tilt * bands)
        loss = F.binary_cross_entropy_with_logits(model(heard), speaks[clips])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        total += loss.item()
        if step % 200 == 0:
            print(f"step {step}/{steps} loss {total / 200:.4f} held out {right(model, powers, speaks):.4f} "
                  f"{time.monotonic() - started:.0f} s", flush=True)
            total = 0.0


def right(model, powers, speaks):
    with torch.no_grad():
        answers = model(powers[:HELD_OUT]) > 0
    return (answers == (speaks[:HELD_OUT] > 0.5)).float().mean().item()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, required=True, help="the file that prepare.mjs wrote")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the file of parameters to write")
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    torch.set_num_threads(1)  # one thread, so that the same seed gives the same weights
    torch.manual_seed(options.seed)
    rows = torch.from_numpy(np.fromfile(options.data, np.float32).reshape(-1, FRAMES, POWERS + 1))
    model = Detector()
    train(model, rows[:, :, 1:], rows[:, :, 0], options.steps, np.random.default_rng(options.seed))
    flat = [part.detach().numpy().astype(np.float32).ravel() for part in model.parameters_in_order()]
    np.concatenate(flat).tofile(options.out)


if __name__ == "__main__":
    main()
