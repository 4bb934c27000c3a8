import { fuzz } from "./fuzz.js";

/** Runs `count` seeds and prints the outcome. Returns whether every invariant held. */
export function runFuzz(firstSeed: number, count: number): boolean {
  const startedAtMs = performance.now();
  const { scenarios, requests, counterexamples } = fuzz(firstSeed, count);
  const seconds = (performance.now() - startedAtMs) / 1000;
  for (const { seed, violation } of counterexamples) console.log(`seed ${seed} breaks ${violation.message}`);
  const rate = `${(scenarios / seconds).toFixed(0)} scenarios/s`;
  console.log(`${scenarios} scenarios, ${requests} requests in ${seconds.toFixed(1)} s (${rate})`);
  return counterexamples.length === 0;
}
