/** Sizes from 1 to `max`, every one up to 4 and then four an octave: close enough for rates that change smoothly. */
export function sizeLadder(max: number): number[] {
  const sizes: number[] = [];
  for (let size = 1; size < max; size += Math.max(1, 2 ** (Math.floor(Math.log2(size)) - 2))) sizes.push(size);
  sizes.push(max);
  return sizes;
}
