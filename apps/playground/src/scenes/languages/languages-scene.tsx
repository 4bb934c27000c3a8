import languagesModel from "@framebatch/models/languages.onnx?url";
import { signal } from "@preact/signals";
import { BackendCard } from "../../shell/backend-card.js";
import { LiveFigures } from "../../shell/live-figures.js";
import type { OpenScene, SceneModel } from "../scene.js";
import { GuessPanel } from "./guess-panel.js";
import { languagesLoad } from "./languages-load.js";
import { Languages } from "./languages.js";
import { TablePanel } from "./table-panel.js";
import { TypingPanel } from "./typing-panel.js";

/** Texts of every length, padded to share a batch; the model's mask tells it what is padding. */
const OPTIONS: SceneModel["options"] = { padding: { ids: { mask: "mask" } } };

/** A table of thousands of texts, and a field to type in: rows ask as they scroll by, the field at every keystroke. */
export const openLanguages: OpenScene = (playground) => {
  const scene = new Languages(playground);
  return {
    title: "Which language is it? Every row asks for itself.",
    lead: "Thousands of short texts in 109 languages. Each row calls model.predict() as it scrolls by, and so does every keystroke; framebatch batches what is in view, pads short texts to the length of their company, and drops what nobody waits for any more.",
    callers: { one: "row", many: "rows" },
    model: signal<SceneModel>({ source: playground.settings.model.peek() ?? languagesModel, options: OPTIONS }),
    Stage: () => <Stage scene={scene} />,
    createLoad: () => languagesLoad(scene),
    dispose: () => scene.dispose(),
  };
};

function Stage({ scene }: { scene: Languages }) {
  const { playground } = scene;
  return (
    <div class="languages-stage">
      <TypingPanel languages={scene} />
      <GuessPanel languages={scene} />
      <TablePanel languages={scene} />
      <aside class="languages-readout" aria-label="Results">
        <LiveFigures playground={playground} />
        <BackendCard playground={playground} />
      </aside>
    </div>
  );
}
