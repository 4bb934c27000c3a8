import type { Random } from "./random.js";

/** Ways to damage a file, as an error in transfer or an attacker could. */
const MUTATIONS = {
  flip: (bytes, random) => {
    const at = random.below(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
    return bytes;
  },
  zero: (bytes, random) => bytes.fill(0, ...span(bytes, random)),
  noise: (bytes, random) => {
    const [from, to] = span(bytes, random);
    for (let at = from; at < to; at += 1) bytes[at] = random.below(256);
    return bytes;
  },
  cut: (bytes, random) => bytes.subarray(0, random.below(bytes.length)),
  /** Makes lengths and counts very large: the format writes them as varints, bytes with the top bit set. */
  swell: (bytes, random) => bytes.fill(0xff, ...span(bytes, random, 5)),
  repeat: (bytes, random) => {
    const [from, to] = span(bytes, random, 400);
    return Uint8Array.of(...bytes.subarray(0, to), ...bytes.subarray(from));
  },
} satisfies Record<string, (bytes: Uint8Array, random: Random) => Uint8Array>;

const KINDS = Object.values(MUTATIONS);

/** Returns a damaged copy of a model. */
export function mutated(model: Uint8Array, random: Random): Uint8Array {
  const spoil = KINDS[random.below(KINDS.length)] ?? MUTATIONS.flip;
  return spoil(Uint8Array.from(model), random);
}

function span(bytes: Uint8Array, random: Random, longest = 40): [number, number] {
  const from = random.below(bytes.length);
  return [from, Math.min(bytes.length, from + 1 + random.below(longest))];
}
