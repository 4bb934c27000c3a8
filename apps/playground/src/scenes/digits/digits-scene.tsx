import digitsModel from "@framebatch/models/digits.onnx?url";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { BackendCard } from "../../shell/backend-card.js";
import { LiveFigures } from "../../shell/live-figures.js";
import type { OpenScene } from "../../playground.js";
import type { SceneModel } from "../scene.js";
import { sceneModel } from "../scene-model.js";
import { Digits } from "./digits.js";
import { digitsLoad } from "./digits-load.js";
import { Pad } from "./pad/pad.js";
import { Prediction } from "./prediction.js";
import { Samples } from "./pad/samples.js";
import { WallPanel } from "./wall/wall-panel.js";

const FIRST_SAMPLE = 3;

/** The digit scene. Each pen movement classifies the drawing and a wall of its variants. */
export const openDigits: OpenScene = (playground) => {
  const digits = new Digits(playground);
  return {
    callers: { one: "tile", many: "tiles" },
    model: signal<SceneModel>(sceneModel(playground.settings, digitsModel, "digits.onnx", {})),
    Stage: () => <Stage digits={digits} />,
    createLoad: () => digitsLoad(digits),
    dispose: () => digits.dispose(),
  };
};

function Stage({ digits }: { digits: Digits }) {
  useEffect(() => digits.showSample(FIRST_SAMPLE), [digits]);
  useDigitKeys(digits);
  const { playground } = digits;
  return (
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
  );
}

/** Draws samples for the keys 0 to 9 while no control has the focus. The pad handles these keys itself. */
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
