import { CallerCount } from "../../controls/caller-count.js";
import { BackendCard } from "../../shell/backend-card.js";
import { LiveFigures } from "../../shell/live-figures.js";
import { Switch } from "../../shell/switch.js";
import type { OpenScene } from "../../playground.js";
import { Answer } from "./answer.js";
import { InputsEditor } from "./inputs-editor.js";
import { ModelFacts } from "./model-facts.js";
import { ModelPicker } from "./model-picker.js";
import { YourModel } from "./your-model.js";

/** The scene for the visitor's own model: it reads the model, runs it on generated inputs, and measures it. */
export const openYourModel: OpenScene = (playground) => {
  const scene = new YourModel(playground);
  return {
    callers: { one: "caller", many: "callers" },
    model: scene.model,
    items: scene.items,
    obstacle: scene.sizeProblem,
    takeFiles: (files) => {
      scene.chooseFiles(files);
      return true;
    },
    fileRemedy: scene.fileRemedy,
    Stage: () => <Stage scene={scene} />,
    createLoad: () => scene.createLoad(),
    dispose: () => scene.dispose(),
  };
};

function Stage({ scene }: { scene: YourModel }) {
  const { playground } = scene;
  const model = playground.model.value;
  const plan = scene.plan.value;
  return (
    <div class="model-stage">
      <div class="model-column">
        <ModelPicker scene={scene} />
        {model === null ? null : <ModelFacts key={scene.chosen.value?.name} model={model} graph={scene.graph.value} />}
      </div>
      {plan === null ? null : (
        <div class="model-column">
          <InputsEditor scene={scene} plan={plan} />
          <Answer scene={scene} />
        </div>
      )}
      <aside class="model-readout" aria-label="Results">
        <Callers scene={scene} />
        <LiveFigures playground={playground} />
        <BackendCard playground={playground} />
      </aside>
    </div>
  );
}

function Callers({ scene: { playground } }: { scene: YourModel }) {
  const { settings, comparing } = playground;
  return (
    <section class="callers" aria-label="Callers">
      <CallerCount playground={playground} label="Callers" />
      <div class="callers-switches">
        <Switch isOn={settings.batching} isDisabled={comparing} testId="batching-switch">
          Batching
        </Switch>
        <Switch isOn={settings.moving} isDisabled={comparing} testId="moving-switch">
          Keep calling
        </Switch>
      </div>
    </section>
  );
}
