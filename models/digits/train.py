"""Trains the digit classifier and writes it as ONNX. How to run it: README.md beside this file.

Every drawing that the playground makes must be read: thin and thick strokes, small and large, off
centre and turned. So half of the training images are the scanned digits themselves, warped, and half
are redrawn from the digit's centre line with a round pen of even width, as a mouse or finger draws.
The centre line is kept as a distance field, because a warped distance field can be inked with a pen
of any width after the warp and the stroke stays even.
"""

import argparse
import gzip
import math
import pathlib
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

SIZE = 28
FIELD_MARGIN = 6  # pixels around the image that the distance field covers, for digits that shrink or move
FIELD_SIZE = SIZE + 2 * FIELD_MARGIN


def read_idx(path):
    data = gzip.decompress(path.read_bytes())
    rank = data[3]
    shape = np.frombuffer(data, ">u4", rank, 4)
    return np.frombuffer(data, np.uint8, offset=4 + 4 * rank).reshape(shape)


def load(folder):
    images = read_idx(folder / "images-idx3-ubyte.gz").astype(np.float32) / 255
    labels = read_idx(folder / "labels-idx1-ubyte.gz").astype(np.int64)
    return torch.from_numpy(images)[:, None], torch.from_numpy(labels)


def neighbours(ink):
    """The eight neighbours of every pixel, clockwise from the one above."""
    padded = np.pad(ink, ((0, 0), (1, 1), (1, 1)))
    height, width = ink.shape[1:]
    steps = [(-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1)]
    return [padded[:, 1 + y : 1 + y + height, 1 + x : 1 + x + width] for y, x in steps]


def centre_lines(ink):
    """Thins boolean images to lines one pixel wide (Zhang and Suen, 1984), all images at once."""
    ink = ink.copy()
    while True:
        changed = False
        for first_half in (True, False):
            around = neighbours(ink)
            count = sum(n.astype(np.int8) for n in around)
            rises = sum((~a & b).astype(np.int8) for a, b in zip(around, around[1:] + around[:1]))
            north, _, east, _, south, _, west, _ = around
            if first_half:
                keeps = (north & east & south) | (east & south & west)
            else:
                keeps = (north & east & west) | (north & south & west)
            remove = ink & (count >= 2) & (count <= 6) & (rises == 1) & ~keeps
            ink &= ~remove
            changed = changed or remove.any()
        if not changed:
            return ink


def distance_fields(images, labels):
    """Each pixel's distance, in pixels, to the digit's centre line, with a margin around the image."""
    doubled = F.interpolate(images, scale_factor=2, mode="bilinear", align_corners=False)
    lines = centre_lines((doubled[:, 0] > 0.5).numpy())
    axis = torch.arange(FIELD_SIZE) - FIELD_MARGIN
    pixels = torch.cartesian_prod(axis, axis).float()
    fields = torch.empty(len(images), 1, FIELD_SIZE, FIELD_SIZE)
    for field, line, label in zip(fields, lines, labels):
        points = torch.from_numpy(np.argwhere(line)).float() / 2 - 0.25
        if label == 1 and torch.rand(()) < 0.4:
            points = with_flag(points)
        field[0] = torch.cdist(pixels, points).amin(1).view(FIELD_SIZE, FIELD_SIZE)
    return fields


def with_flag(points):
    """Adds to a one the flag at its head, and on every second one the foot, that many people write and
    few of the data's writers do. Points are (row, column)."""
    head, foot = points[points[:, 0].argmin()], points[points[:, 0].argmax()]
    height = foot[0] - head[0]
    along = torch.linspace(0, 1, 40)[:, None]
    angle = uniform(1, 0.5, 1.1)  # below the horizontal, in radians: a seven's bar is flatter
    flag = torch.cat([angle.sin(), -angle.cos()]) * height * uniform(1, 0.2, 0.45)
    parts = [points, head + along * flag]
    if torch.rand(()) < 0.5:
        reach = torch.cat([torch.zeros(1), height * uniform(1, 0.1, 0.3)])
        parts.append(foot + (2 * along - 1) * reach)
    return torch.cat(parts)


def uniform(count, low, high):
    return torch.empty(count).uniform_(low, high)


def source_positions(count):
    """Random warps. Gives, for each output pixel, the position in the source image (in pixels from its
    centre), and each warp's scale. A third of the warps are mild, so that plain digits stay well read."""
    strength = torch.where(torch.rand(count) < 0.33, torch.tensor(0.3), torch.tensor(1.0))
    angle = uniform(count, -0.5, 0.5) * strength
    scale = torch.exp(uniform(count, math.log(0.6), math.log(1.2)) * strength)
    stretch = torch.exp(uniform(count, -0.2, 0.2) * strength)
    shear = uniform(count, -0.25, 0.25) * strength
    turn = torch.stack([angle.cos(), -angle.sin(), angle.sin(), angle.cos()], 1).view(-1, 2, 2)
    skew = torch.eye(2).repeat(count, 1, 1)
    skew[:, 0, 1] = shear
    size = torch.diag_embed(torch.stack([scale * stretch, scale / stretch], 1))
    matrix = torch.linalg.inv(turn @ skew @ size)

    # A smaller digit has more room to move before it leaves the image.
    reach = (3 + 8 * (1 - scale).clamp(min=0)) * strength
    shift = (torch.rand(count, 2) * 2 - 1) * reach[:, None]
    axis = torch.arange(SIZE).float() - (SIZE - 1) / 2
    y, x = torch.meshgrid(axis, axis, indexing="ij")
    output = torch.stack([x, y], -1).view(1, -1, 2) - shift[:, None]
    positions = (output @ matrix.transpose(1, 2)).view(count, SIZE, SIZE, 2)

    bend = torch.randn(count, 2, 5, 5) * uniform(count, 0, 1.1)[:, None, None, None]
    bend = F.interpolate(bend, (SIZE, SIZE), mode="bicubic", align_corners=True)
    return positions + bend.permute(0, 2, 3, 1), scale


def sample(images, positions, padding):
    return F.grid_sample(images, positions * (2 / images.shape[-1]), padding_mode=padding, align_corners=False)


def change_stroke_width(images):
    """Thickens or thins strokes by up to about one pixel. Neighbours in a batch share the change."""
    doubled = F.interpolate(images, scale_factor=2, mode="bilinear", align_corners=False)
    parts = []
    for part in doubled.chunk(8):
        kernel = (1, 3, 5)[torch.randint(3, ()).item()]
        thicken = F.max_pool2d(part, kernel, 1, kernel // 2)
        thin = -F.max_pool2d(-part, kernel, 1, kernel // 2)
        changed = thin if kernel == 3 and torch.rand(()) < 0.5 else thicken
        parts.append(torch.lerp(part, changed, torch.rand(len(part), 1, 1, 1)))
    return F.avg_pool2d(torch.cat(parts), 2)


def redraw(fields, positions, scale):
    """Inks the warped centre lines with a round pen of 1.2 to 5 pixels and an anti-aliased edge. The
    widest pen is narrower for smaller digits, whose loops it would fill."""
    scale = scale[:, None, None, None]
    distance = sample(fields, positions, "border") * scale
    radius = 0.6 + torch.rand(len(fields), 1, 1, 1) * 1.9 * scale.clamp(max=1)
    return (radius - distance + 0.5).clamp(0, 1)


def soften(images):
    """A light blur on some images, and ink between 60 % and full strength."""
    kernel = torch.tensor([1.0, 2.0, 1.0])
    kernel = (kernel[:, None] * kernel)[None, None] / 16
    blurred = F.conv2d(images, kernel, padding=1)
    amount = (torch.rand(len(images)) * 1.6 - 0.6).clamp(min=0)[:, None, None, None]
    gain = uniform(len(images), 0.6, 1.4)[:, None, None, None]
    return (torch.lerp(images, blurred, amount) * gain).clamp(0, 1)


def augment(images, fields):
    half = len(images) // 2
    positions, scale = source_positions(len(images))
    scanned = sample(change_stroke_width(images[:half]), positions[:half], "zeros")
    drawn = redraw(fields[half:], positions[half:], scale[half:])
    return soften(torch.cat([scanned, drawn]))


def convolution(inputs, outputs, kernel, stride=1):
    layer = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False)
    return [layer, nn.BatchNorm2d(outputs), nn.ReLU()]


def network():
    return nn.Sequential(
        *convolution(1, 8, 5),
        nn.MaxPool2d(2),
        *convolution(8, 24, 3),
        nn.MaxPool2d(2),
        *convolution(24, 48, 3, stride=2),
        nn.Flatten(),
        nn.Linear(48 * 16, 64),
        nn.ReLU(),
        nn.Linear(64, 10),
    )


def accuracy(model, images, labels):
    model.eval()
    with torch.no_grad():
        return (model(images).argmax(1) == labels).float().mean().item()


def train(model, images, labels, epochs, batch_size):
    fields = distance_fields(images, labels)
    steps = len(images) // batch_size
    optimizer = torch.optim.AdamW(model.parameters(), weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.004, epochs * steps, pct_start=0.15)
    started = time.monotonic()
    for epoch in range(epochs):
        model.train()
        total = 0.0
        for chosen in torch.randperm(len(images))[: steps * batch_size].view(steps, batch_size):
            loss = F.cross_entropy(model(augment(images[chosen], fields[chosen])), labels[chosen], label_smoothing=0.02)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item()
        print(f"epoch {epoch + 1}/{epochs} loss {total / steps:.4f} {time.monotonic() - started:.0f} s", flush=True)


def export(model, path):
    """Batch normalisation is folded into the convolutions by the exporter, because the model is in eval mode."""
    model.eval()
    batch = {0: "batch"}
    torch.onnx.export(
        model,
        torch.zeros(1, 1, SIZE, SIZE),
        path,
        input_names=["image"],
        output_names=["logits"],
        dynamic_axes={"image": batch, "logits": batch},
        opset_version=17,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder of the two IDX files")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the ONNX file to write")
    parser.add_argument("--train-count", type=int, default=7000, help="train on the first N images")
    parser.add_argument("--held-out-count", type=int, default=1000, help="measure on the N images after those")
    parser.add_argument("--epochs", type=int, default=400)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    torch.set_num_threads(1)  # one thread, so that the same seed gives the same weights
    torch.manual_seed(options.seed)
    images, labels = load(options.data)
    end = options.train_count + options.held_out_count
    model = network()
    train(model, images[: options.train_count], labels[: options.train_count], options.epochs, options.batch_size)
    held_out = accuracy(model, images[options.train_count : end], labels[options.train_count : end])
    export(model, options.out)
    print(f"held-out accuracy {held_out:.4f} on {options.held_out_count} images, {options.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
