import drivers from "@framebatch/models/drivers.onnx?url";
import untrained from "@framebatch/models/drivers-untrained.onnx?url";
import { computed, useComputed } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Switch } from "../../shell/switch.js";
import type { OpenScene } from "../../playground.js";
import type { Settings } from "../../settings.js";
import { sceneModel, type ModelAtUrl } from "../scene-model.js";
import { CAR_COUNTS } from "../worlds/counts.js";
import { WorldsStage } from "../worlds/worlds-stage.js";
import { carFigures } from "./car-figures.js";
import { carWorlds, type CarWorlds } from "./car-worlds.js";
import { carsLoad } from "./cars-load.js";

/** Two worlds of cars side by side. Each car asks the model in each frame: on the left with batching, on the right without. */
export const openCars: OpenScene = (playground) => {
  const { settings } = playground;
  const worlds = carWorlds(
    playground,
    computed(() => driversOf(settings)),
  );
  return {
    callers: { one: "car", many: "cars" },
    model: worlds.model,
    showsBothWays: true,
    Stage: () => <Stage worlds={worlds} />,
    createLoad: () => carsLoad(settings),
    dispose: () => worlds.dispose(),
  };
};

function driversOf(settings: Settings): ModelAtUrl {
  return settings.trained.value
    ? sceneModel(settings, drivers, "drivers.onnx", {})
    : sceneModel(settings, untrained, "drivers-untrained.onnx", {});
}

function Stage({ worlds }: { worlds: CarWorlds }) {
  const { motion, playground } = worlds;
  const { settings, comparing } = playground;
  return (
    <WorldsStage
      worlds={worlds}
      scene="cars"
      picture="Cars on a race track, seen from above"
      figures={useMemo(() => carFigures(motion), [motion])}
      caller="car"
      counts={CAR_COUNTS}
      count={settings.cars}
      standard={useComputed(() => `At ${Math.round(1000 / motion.framePeriodMs.value)} frames a second`)}
      controls={
        <Switch isOn={settings.trained} isDisabled={comparing} testId="trained-switch">
          Trained drivers
        </Switch>
      }
    >
      Each side has a thread and a model of its own; they share the processor. A frame is ready when every car has its
      answer.
    </WorldsStage>
  );
}
