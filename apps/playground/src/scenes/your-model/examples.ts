import digitsUrl from "@framebatch/models/digits.onnx?url";
import languagesUrl from "@framebatch/models/languages.onnx?url";
import { recognizerUrl } from "@framebatch/ocr/reader/models";

/** A model that this page has anyway. */
export interface ExampleModel {
  readonly label: string;
  /** The name of its file. */
  readonly name: string;
  /** Its URL. */
  readonly url: string;
}

/** Models of different kinds: small layers, a text model with a mask, and a convolutional one that takes milliseconds. */
export const EXAMPLES: readonly ExampleModel[] = [
  { label: "Digits", name: "digits.onnx", url: digitsUrl },
  { label: "Languages", name: "languages.onnx", url: languagesUrl },
  { label: "Text recognition (PP-OCRv4)", name: "ch_PP-OCRv4_rec_infer.onnx", url: recognizerUrl },
].map((example) => ({ ...example, url: new URL(example.url, location.href).href }));
