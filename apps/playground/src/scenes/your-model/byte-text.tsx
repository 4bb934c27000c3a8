import type { TensorInfo } from "framebatch";
import { useSignal } from "@preact/signals";
import type { YourModel } from "./your-model.js";

/** True if an input takes the bytes of a text. Other integers are ids of a tokenizer, which no model file contains. */
export function takesBytes({ name, type }: TensorInfo, itemDims: readonly number[]): boolean {
  return /byte/i.test(name) && /int/.test(type) && type !== "int8" && itemDims.length === 1;
}

/** A text as `count` values: its UTF-8 bytes, then zeros. */
export function toBytes(text: string, count: number): number[] {
  const bytes = new TextEncoder().encode(text);
  return Array.from({ length: count }, (_, index) => bytes[index] ?? 0);
}

/** Takes a text as the values of an input of bytes. */
export function ByteText({ scene, input, count }: { scene: YourModel; input: TensorInfo; count: number }) {
  const text = useSignal("");
  return (
    <label class="byte-text">
      <span class="input-note">A text for every item, as UTF-8 bytes and then zeros</span>
      <input
        class="text"
        type="text"
        data-testid="byte-text"
        value={text}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
          const ownValues = text.value === "" ? "" : toBytes(text.value, count).join(" ");
          scene.changeInput(input.name, { ownValues });
        }}
      />
    </label>
  );
}
