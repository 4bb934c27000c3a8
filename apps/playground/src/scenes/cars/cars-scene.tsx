import drivers from "@framebatch/models/drivers.onnx?url";
import untrained from "@framebatch/models/drivers-untrained.onnx?url";
import { useComputed } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { PROVIDER_NAMES } from "../../shell/provider-names.js";
import { Switch } from "../../shell/switch.js";
import type { OpenScene } from "../../playground.js";
import { sceneModel, type ModelAtUrl } from "../scene-model.js";
import { Cars } from "./cars.js";
import { carsLoad } from "./cars-load.js";
import { CountSlider } from "./count-slider.js";
import { SidePanel } from "./side-panel.js";

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

function Stage({ cars }: { cars: Cars }) {
  const stage = useRef<HTMLDivElement>(null);
  useEffect(() => (stage.current === null ? undefined : watchView(stage.current, cars)), [cars]);
  const { settings, comparing } = cars.playground;
  return (
    <div class="cars" ref={stage}>
      <SidePanel cars={cars} lane="batched" />
      <SidePanel cars={cars} lane="single" />
      <div class="cars-controls">
        <CountSlider cars={cars} />
        <div class="cars-switches">
          <Switch isOn={settings.trained} isDisabled={comparing} testId="trained-switch">
            Trained drivers
          </Switch>
          <Switch isOn={settings.moving} isDisabled={comparing} testId="moving-switch">
            Keep moving
          </Switch>
        </div>
        <Backend cars={cars} />
      </div>
    </div>
  );
}

function Backend({ cars }: { cars: Cars }) {
  const words = useComputed(() => {
    const [batched, single] = [cars.sides.batched.provider.value, cars.sides.single.provider.value];
    if (batched === null || single === null) return "No backend yet.";
    const names =
      batched === single ? PROVIDER_NAMES[batched] : `${PROVIDER_NAMES[batched]} and ${PROVIDER_NAMES[single]}`;
    return `Runs on ${names}.`;
  });
  return (
    <p class="cars-note">
      <span data-testid="backend">{words}</span> Each side has a thread and a model of its own; they share the
      processor. A frame is ready when every car has its answer.
    </p>
  );
}

/** Tells the scene whether it can be seen. Returns a function that stops it. */
function watchView(stage: Element, { isInView }: Cars): () => void {
  const listening = new AbortController();
  let intersects = false;
  const update = (): void => {
    isInView.value = intersects && !document.hidden;
  };
  const observer = new IntersectionObserver(([entry]) => {
    intersects = entry?.isIntersecting ?? false;
    update();
  });
  observer.observe(stage);
  document.addEventListener("visibilitychange", update, listening);
  return () => {
    observer.disconnect();
    listening.abort();
    isInView.value = false;
  };
}
