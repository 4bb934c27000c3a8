export interface GeneratedModel {
  readonly name: string;
  /** A whole ONNX file. The caller owns it. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The names of all generated models but those too large to be built with the others; README.md says what each one is. */
export const modelNames: readonly string[];

/**
 * Makes one model in memory. The same name always gives the same bytes.
 *
 * @throws TypeError if there is no such model.
 */
export function generateModel(name: string): GeneratedModel;

/** Makes every model of `modelNames` in memory. */
export function generateModels(): GeneratedModel[];
