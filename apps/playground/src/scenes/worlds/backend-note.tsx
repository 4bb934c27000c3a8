import { useComputed, type ReadonlySignal } from "@preact/signals";
import type { ExecutionProvider } from "framebatch";
import type { ComponentChildren } from "preact";
import type { LaneName } from "../../measure/gain.js";
import { PROVIDER_NAMES } from "../../shell/provider-names.js";

type Sides = Readonly<Record<LaneName, { readonly provider: ReadonlySignal<ExecutionProvider | null> }>>;

/** Says what the models of both sides run on. @param children what else there is to say */
export function BackendNote({ sides, children }: { sides: Sides; children: ComponentChildren }) {
  const words = useComputed(() => {
    const [batched, single] = [sides.batched.provider.value, sides.single.provider.value];
    if (batched === null || single === null) return "No backend yet.";
    const names =
      batched === single ? PROVIDER_NAMES[batched] : `${PROVIDER_NAMES[batched]} and ${PROVIDER_NAMES[single]}`;
    return `Runs on ${names}.`;
  });
  return (
    <p class="world-note">
      <span data-testid="backend">{words}</span> {children}
    </p>
  );
}
