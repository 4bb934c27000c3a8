import translator from "@framebatch/models/translator.onnx?url";
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { OpenScene } from "../../playground.js";
import { Switch } from "../../shell/switch.js";
import type { SceneModel } from "../scene.js";
import { sceneModel } from "../scene-model.js";
import { BackendNote } from "../worlds/backend-note.js";
import { LANES, SidePanel } from "../worlds/side-panel.js";
import { openTranslator } from "./open-translator.js";
import { PAGE_FIGURES } from "./page-figures.js";
import { PageList } from "./page-list.js";
import { translateLoad } from "./translate-load.js";
import { TwoPages } from "./two-pages.js";

/** A page of sentences that is translated twice: on the left the texts share steps, on the right there is one at a time. */
export const openTranslate: OpenScene = (playground) => {
  const model = sceneModel(playground.settings, translator, "translator.onnx", { generate: true });
  const pages = new TwoPages(playground);
  return {
    callers: { one: "sentence", many: "sentences" },
    model: signal<SceneModel>({ ...model, open: (options) => openTranslator(model.source, options) }),
    showsBothWays: true,
    Stage: () => <Stage pages={pages} />,
    createLoad: () => translateLoad(playground.settings),
    dispose: () => pages.dispose(),
  };
};

function Stage({ pages }: { pages: TwoPages }) {
  const { motion, sides, playground } = pages;
  const stage = useRef<HTMLDivElement>(null);
  useEffect(() => (stage.current === null ? undefined : motion.watch(stage.current)), [motion]);
  return (
    <div class="worlds" ref={stage}>
      {LANES.map((lane) => (
        <SidePanel key={lane} scene="translate" lane={lane} side={sides[lane]} figures={PAGE_FIGURES}>
          <PageList pages={pages} lane={lane} />
        </SidePanel>
      ))}
      <div class="world-controls">
        <p class="world-limits">
          The sentences in view come first. Scroll: those that come into view overtake the others, and those that you
          have scrolled past are given up.
        </p>
        <div class="world-switches">
          <button type="button" class="button" data-testid="translate-again" onClick={() => pages.restart()}>
            Translate again
          </button>
          <Switch isOn={playground.settings.moving} isDisabled={playground.comparing} testId="moving-switch">
            Keep translating
          </Switch>
        </div>
        <BackendNote sides={sides}>
          The model knows 62 words by weights that were chosen and not trained. It carries 1.6 million more, which
          change nothing, so that a step takes its time.
        </BackendNote>
      </div>
    </div>
  );
}
