import voices from "@framebatch/models/voices.onnx?url";
import { signal, useComputed } from "@preact/signals";
import type { OpenScene } from "../../playground.js";
import { sceneModel } from "../scene-model.js";
import { STREAM_COUNTS } from "../worlds/counts.js";
import { WorldsStage } from "../worlds/worlds-stage.js";
import { Microphone } from "./microphone.js";
import { STREAM_FIGURES } from "./stream-figures.js";
import { streamWorlds, type StreamWorlds } from "./stream-worlds.js";
import { streamsLoad } from "./streams-load.js";

/** Live sound with a state for each stream: on the left the streams share runs, on the right each has its own. */
export const openStreams: OpenScene = (playground) => {
  const model = sceneModel(playground.settings, voices, "voices.onnx", { recurrent: { memory: "memoryN" } });
  const worlds = streamWorlds(playground, signal(model));
  const microphone = new Microphone();
  return {
    callers: { one: "stream", many: "streams" },
    model: worlds.model,
    showsBothWays: true,
    Stage: () => <Stage worlds={worlds} microphone={microphone} />,
    createLoad: () => streamsLoad(playground.settings),
    dispose() {
      microphone.close();
      worlds.dispose();
    },
  };
};

interface StageProps {
  readonly worlds: StreamWorlds;
  readonly microphone: Microphone;
}

const STANDARD = signal("In real time");

function Stage({ worlds, microphone }: StageProps) {
  return (
    <WorldsStage
      worlds={worlds}
      scene="streams"
      picture="Streams of sound as strips: bars of each step, coloured where the model hears a voice"
      figures={STREAM_FIGURES}
      caller="stream"
      counts={STREAM_COUNTS}
      count={worlds.playground.settings.streams}
      standard={STANDARD}
      controls={<MicrophoneButton worlds={worlds} microphone={microphone} />}
      legend={<Legend />}
    >
      The sound is generated, 32 ms a step, and every stream has a state in the worker. A side that falls behind leaves
      the oldest steps out. {useComputed(() => microphoneWords(microphone))}
    </WorldsStage>
  );
}

function MicrophoneButton({ worlds, microphone }: StageProps) {
  return (
    <button
      type="button"
      class="button"
      data-testid="microphone"
      aria-pressed={microphone.isOn}
      onClick={() => void hearMicrophone(worlds, microphone, !microphone.isOn.peek())}
    >
      {useComputed(() => (microphone.isOn.value ? "Stop the microphone" : "Use the microphone"))}
    </button>
  );
}

/** Lets both sides hear the microphone, or no longer. */
async function hearMicrophone(worlds: StreamWorlds, microphone: Microphone, isOn: boolean): Promise<void> {
  const sides = Object.values(worlds.sides);
  if (!isOn) microphone.close();
  const ports = isOn ? await microphone.open(sides.length) : [];
  for (const [index, side] of sides.entries()) side.useSource(ports[index] ?? null);
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

function microphoneWords({ isOn, problem }: Microphone): string {
  if (problem.value !== null) return problem.value;
  return isOn.value
    ? "The first stream is your microphone. Nothing leaves this device."
    : "The first stream can be your microphone.";
}
