import type { ModelStats } from "framebatch";
import { waysToRun, type Offer } from "./ways-to-run.js";

/** Answers on which backend the model runs, and why. */
export function WaysList({ stats, allowed }: { stats: ModelStats } & Pick<Offer, "allowed">) {
  return (
    <section class="ways" aria-labelledby="ways-heading" data-testid="ways">
      <h3 id="ways-heading">Which way to run?</h3>
      <ul>
        {waysToRun(stats, { isIsolated: crossOriginIsolated, allowed }).map(({ name, isUsed, words }) => (
          <li key={name} data-used={isUsed}>
            <strong>{name}</strong> {words}
          </li>
        ))}
      </ul>
    </section>
  );
}
