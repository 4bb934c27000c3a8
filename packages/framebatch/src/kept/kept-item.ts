import type { Outputs, Tensor, TensorInfo } from "@framebatch/rows/tensor/tensor.js";

/**
 * An item that a model of a group predicts, with what it was made of: `given` of a text takes it. See
 * `GroupedModel.keep`.
 */
export interface KeptItem<Output = Outputs> {
  /**
   * What `predict` returns for the item. A rejection that nobody handles is not reported: the texts that are given it
   * reject with it.
   * @example const { last_hidden_state } = await encoder.keep({ input_ids }).outputs;
   */
  readonly outputs: Promise<Output>;
  /**
   * Returns what it has of the inputs of a decoder: the output or the input with the same name, or with the name
   * without `encoder_`; `last_hidden_state` as `encoder_hidden_states`. A text asks for what it is given with it.
   * @param inputs those of the decoder, such as `decoder.inputs`
   * @throws what `outputs` rejects with
   * @example const given = await encoder.keep({ input_ids }).givenFor(decoder.inputs);
   */
  givenFor(inputs: readonly Pick<TensorInfo, "name">[]): Promise<Record<string, Tensor>>;
}

/** Whether what a text is given is an item that an encoder keeps. */
export function isKeptItem(given: object): given is KeptItem {
  return "givenFor" in given && typeof given.givenFor === "function";
}
