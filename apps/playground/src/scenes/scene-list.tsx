import type { ComponentChildren } from "preact";
import type { OpenScene } from "../playground.js";
import type { SceneName } from "./scene-names.js";

interface SceneEntry {
  readonly label: string;
  readonly title: string;
  /** A description of the scene, in a sentence or two. */
  readonly lead: ComponentChildren;
  /** Loads the code of the scene, so that a visit loads only the scenes that it opens. */
  readonly load: () => Promise<OpenScene>;
}

/** The scenes. The page shows their texts before their code loads. */
export const SCENES: Readonly<Record<SceneName, SceneEntry>> = {
  cars: {
    label: "Cars",
    title: "framebatch runs ONNX models in the browser, and turns hundreds of single calls into one batch.",
    lead: (
      <>
        Each car asks a small neural network how to steer: one <code>model.predict()</code> per car and frame. Same
        cars, same network.
      </>
    ),
    load: async () => (await import("./cars/cars-scene.js")).openCars,
  },
  digits: {
    label: "Digits",
    title: "Draw a digit. Every tile calls the model on its own.",
    lead: (
      <>
        Each tile calls <code>model.predict()</code>, and framebatch runs the calls of a frame as one batch. Switch
        batching off to feel the difference.
      </>
    ),
    load: async () => (await import("./digits/digits-scene.js")).openDigits,
  },
  languages: {
    label: "Languages",
    title: "Which language is it? Every row calls the model on its own.",
    lead: (
      <>
        Each visible row calls <code>model.predict()</code>, and so does every keystroke. framebatch batches them and
        pads short texts to the longest one in the batch.
      </>
    ),
    load: async () => (await import("./languages/languages-scene.js")).openLanguages,
  },
  streams: {
    label: "Streams",
    title: "Who is speaking? Every stream has a state, and they still share runs.",
    lead: (
      <>
        Each stream asks a small recurrent network after every 32 ms of sound: one <code>sequence.predict()</code>. Its
        state stays in the worker.
      </>
    ),
    load: async () => (await import("./streams/streams-scene.js")).openStreams,
  },
  translate: {
    label: "Translate",
    title: "Translate 200 sentences at once: each is a text, and all share steps.",
    lead: (
      <>
        Each sentence is one <code>model.generate()</code> of a small decoder. Texts join the running batch, and leave
        it when they end.
      </>
    ),
    load: async () => (await import("./translate/translate-scene.js")).openTranslate,
  },
  page: {
    label: "Read a page",
    title: "Reads pages on your device: nothing is uploaded, and the page never blocks.",
    lead: (
      <>
        A detector finds the lines of a picture, and each line is one <code>model.predict()</code> of a recognizer, in
        two workers. Drop a screenshot, a photograph or a scan.
      </>
    ),
    load: async () => (await import("./read-page/read-page-scene.js")).openReadPage,
  },
  model: {
    label: "Your model",
    title: "Measure your own model",
    lead: "Drop an ONNX file. The page generates its inputs and lets up to 256 callers request predictions, one item each.",
    load: async () => (await import("./your-model/your-model-scene.js")).openYourModel,
  },
};
