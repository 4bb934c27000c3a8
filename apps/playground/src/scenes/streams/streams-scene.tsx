import voices from "@framebatch/models/voices.onnx?url";
import { signal, useComputed } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { OpenScene } from "../../playground.js";
import { Switch } from "../../shell/switch.js";
import { sceneModel } from "../scene-model.js";
import { BackendNote } from "../worlds/backend-note.js";
import { CountSlider } from "../worlds/count-slider.js";
import { STREAM_COUNTS } from "../worlds/counts.js";
import { SidePanel } from "../worlds/side-panel.js";
import { STREAM_FIGURES } from "./stream-figures.js";
import { Streams } from "./streams.js";
import { streamsLoad } from "./streams-load.js";

/** Live sound with a state for each stream: on the left the streams share runs, on the right each has its own. */
export const openStreams: OpenScene = (playground) => {
  const model = sceneModel(playground.settings, voices, "voices.onnx", { recurrent: { memory: "memoryN" } });
  const streams = new Streams(playground, model);
  return {
    callers: { one: "stream", many: "streams" },
    model: streams.model,
    hasOwnWorkers: true,
    Stage: () => <Stage streams={streams} />,
    createLoad: () => streamsLoad(playground.settings),
    dispose: () => streams.dispose(),
  };
};

const PICTURE = "Streams of sound as strips: bars of each step, coloured where the model hears a voice";
const STANDARD = signal("In real time");

function Stage({ streams }: { streams: Streams }) {
  const { motion, sides, limits, microphone } = streams;
  const stage = useRef<HTMLDivElement>(null);
  useEffect(() => (stage.current === null ? undefined : motion.watch(stage.current)), [motion]);
  const { settings, comparing } = streams.playground;
  return (
    <div class="worlds" ref={stage}>
      <SidePanel scene="streams" lane="batched" side={sides.batched} picture={PICTURE} figures={STREAM_FIGURES} />
      <SidePanel scene="streams" lane="single" side={sides.single} picture={PICTURE} figures={STREAM_FIGURES} />
      <div class="world-controls">
        <CountSlider
          label="Streams"
          unit="streams"
          counts={STREAM_COUNTS}
          value={settings.streams}
          isDisabled={comparing}
          limits={limits}
          standard={STANDARD}
          testId="stream-count"
        />
        <div class="world-switches">
          <button
            type="button"
            class="button"
            data-testid="microphone"
            aria-pressed={microphone.isOn}
            onClick={() => void streams.useMicrophone(!microphone.isOn.peek())}
          >
            {useComputed(() => (microphone.isOn.value ? "Stop the microphone" : "Use the microphone"))}
          </button>
          <Switch isOn={settings.moving} isDisabled={comparing} testId="moving-switch">
            Keep moving
          </Switch>
        </div>
        <Legend />
        <BackendNote sides={sides}>
          The sound is generated, 32 ms a step, and every stream has a state in the worker. A side that falls behind
          leaves the oldest steps out. {useComputed(() => microphoneWords(streams))}
        </BackendNote>
      </div>
    </div>
  );
}

function Legend() {
  return (
    <p class="world-legend">
      <span data-kind="voice">a voice</span>
      <span data-kind="quiet">no voice</span>
      <span data-kind="waiting">not answered yet</span>
      <span data-kind="missed">left out</span>
    </p>
  );
}

function microphoneWords({ microphone: { isOn, problem } }: Streams): string {
  if (problem.value !== null) return problem.value;
  return isOn.value
    ? "The first stream is your microphone. Nothing leaves this device."
    : "The first stream can be your microphone.";
}
