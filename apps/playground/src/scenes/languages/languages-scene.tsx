import languagesModel from "@framebatch/models/languages.onnx?url";
import { signal } from "@preact/signals";
import { BackendCard } from "../../shell/backend-card.js";
import { LiveFigures } from "../../shell/live-figures.js";
import type { OpenScene } from "../../playground.js";
import type { SceneModel } from "../scene.js";
import { sceneModel } from "../scene-model.js";
import { GuessPanel } from "./guess-panel.js";
import { languagesLoad } from "./languages-load.js";
import { Languages } from "./languages.js";
import { TablePanel } from "./table-panel.js";
import { TypingPanel } from "./typing-panel.js";

/** A batch pads its texts to the same length. The model's mask input marks the padding. */
const OPTIONS: SceneModel["options"] = { padding: { ids: { mask: "mask" } } };

/**
 * The language scene: a table of thousands of texts, whose rows are classified as they scroll into view, and a text
 * field, which is classified at every keystroke.
 */
export const openLanguages: OpenScene = (playground) => {
  const scene = new Languages(playground);
  return {
    callers: { one: "row", many: "rows" },
    model: signal<SceneModel>(sceneModel(playground.settings, languagesModel, "languages.onnx", OPTIONS)),
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
