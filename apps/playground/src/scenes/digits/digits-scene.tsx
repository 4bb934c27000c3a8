import { useEffect, useMemo } from "preact/hooks";
import { ComparisonPanel } from "../../comparison/comparison-panel.js";
import type { Playground } from "../../playground.js";
import { BackendCard } from "../../shell/backend-card.js";
import { LiveFigures } from "../../shell/live-figures.js";
import { Digits } from "./digits.js";
import { digitsLoad } from "./digits-load.js";
import { Pad } from "./pad.js";
import { Prediction } from "./prediction.js";
import { Samples } from "./samples.js";
import { WallPanel } from "./wall-panel.js";

const FIRST_SAMPLE = 3;

/** Draw a digit: the drawing and a wall of its variants are classified with every move of the pen. */
export function DigitsScene({ playground }: { playground: Playground }) {
  const digits = useMemo(() => new Digits(playground), [playground]);
  useEffect(() => digits.showSample(FIRST_SAMPLE), [digits]);
  useDigitKeys(digits);
  return (
    <>
      <div class="stage">
        <section class="drawing" aria-label="Drawing">
          <Pad digits={digits} />
          <Samples digits={digits} />
        </section>
        <WallPanel digits={digits} />
        <aside class="readout" aria-label="Results">
          <Prediction digits={digits} />
          <LiveFigures playground={playground} />
          <BackendCard playground={playground} />
        </aside>
      </div>
      <ComparisonPanel playground={playground} createLoad={() => digitsLoad(digits)} />
    </>
  );
}

/** The keys 0 to 9 draw samples while no control has the focus. The pad handles them itself. */
function useDigitKeys(digits: Digits): void {
  useEffect(() => {
    const listening = new AbortController();
    const press = ({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent): void => {
      if (target !== document.body || ctrlKey || metaKey || altKey) return;
      if (/^\d$/.test(key)) digits.showSample(Number(key));
    };
    document.addEventListener("keydown", press, listening);
    return () => listening.abort();
  }, [digits]);
}
