import drivers from "@framebatch/models/drivers.onnx?url";
import untrained from "@framebatch/models/drivers-untrained.onnx?url";
import { useComputed } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Switch } from "../../shell/switch.js";
import type { OpenScene } from "../../playground.js";
import { sceneModel, type ModelAtUrl } from "../scene-model.js";
import { BackendNote } from "../worlds/backend-note.js";
import { CountSlider } from "../worlds/count-slider.js";
import { CAR_COUNTS } from "../worlds/counts.js";
import { SidePanel } from "../worlds/side-panel.js";
import { carFigures } from "./car-figures.js";
import { Cars } from "./cars.js";
import { carsLoad } from "./cars-load.js";

/** Two worlds of cars side by side. Each car asks the model in each frame: on the left with batching, on the right without. */
export const openCars: OpenScene = (playground) => {
  const modelOf = (isTrained: boolean): ModelAtUrl =>
    isTrained
      ? sceneModel(playground.settings, drivers, "drivers.onnx", {})
      : sceneModel(playground.settings, untrained, "drivers-untrained.onnx", {});
  const cars = new Cars(playground, modelOf);
  return {
    callers: { one: "car", many: "cars" },
    model: cars.model,
    hasOwnWorkers: true,
    Stage: () => <Stage cars={cars} />,
    createLoad: () => carsLoad(playground.settings),
    dispose: () => cars.dispose(),
  };
};

const PICTURE = "Cars on a race track, seen from above";

function Stage({ cars }: { cars: Cars }) {
  const { motion, sides, limits } = cars;
  const stage = useRef<HTMLDivElement>(null);
  useEffect(() => (stage.current === null ? undefined : motion.watch(stage.current)), [motion]);
  const figures = useMemo(() => carFigures(motion), [motion]);
  const { settings, comparing } = cars.playground;
  const standard = useComputed(() => `At ${Math.round(1000 / motion.framePeriodMs.value)} frames a second`);
  return (
    <div class="worlds" ref={stage}>
      <SidePanel scene="cars" lane="batched" side={sides.batched} picture={PICTURE} figures={figures} />
      <SidePanel scene="cars" lane="single" side={sides.single} picture={PICTURE} figures={figures} />
      <div class="world-controls">
        <CountSlider
          label="Cars"
          unit="cars"
          counts={CAR_COUNTS}
          value={settings.cars}
          isDisabled={comparing}
          limits={limits}
          standard={standard}
          testId="car-count"
        />
        <div class="world-switches">
          <Switch isOn={settings.trained} isDisabled={comparing} testId="trained-switch">
            Trained drivers
          </Switch>
          <Switch isOn={settings.moving} isDisabled={comparing} testId="moving-switch">
            Keep moving
          </Switch>
        </div>
        <BackendNote sides={sides}>
          Each side has a thread and a model of its own; they share the processor. A frame is ready when every car has
          its answer.
        </BackendNote>
      </div>
    </div>
  );
}
