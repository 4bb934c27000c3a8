import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { FileButton } from "../../shell/file-button.js";
import { EXAMPLES } from "./examples.js";
import type { YourModel } from "./your-model.js";

/** Selects a model: by drag and drop, by a file dialog, or by URL. */
export function ModelPicker({ scene }: { scene: YourModel }) {
  const isEmpty = useComputed(() => scene.chosen.value === null);
  return (
    <section class="card picker" aria-labelledby="picker-heading" data-empty={isEmpty} data-testid="drop">
      <h2 id="picker-heading">{isEmpty.value ? "Drop an ONNX file anywhere" : (scene.chosen.value?.name ?? "")}</h2>
      <p class="picker-note">
        {isEmpty.value
          ? "With its files of weights, if there are any. They stay on this device: nothing is uploaded."
          : "Drop another file to replace it."}
      </p>
      <div class="picker-ways">
        <ModelFileButton scene={scene} />
        <AddressForm scene={scene} />
      </div>
      {isEmpty.value ? (
        <p class="picker-note">
          No model at hand? Try one of this page:{" "}
          {EXAMPLES.map((example) => (
            <button
              key={example.name}
              type="button"
              class="link example"
              data-testid={`example-${example.name}`}
              onClick={() => scene.chooseExample(example)}
            >
              {example.label}
            </button>
          ))}
        </p>
      ) : null}
    </section>
  );
}

function ModelFileButton({ scene }: { scene: YourModel }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    scene.openDialog = () => input.current?.click();
  }, [scene]);
  return (
    <FileButton
      input={input}
      class="button button-primary"
      label="Model file"
      testId="model"
      onFiles={(files) => scene.chooseFiles(files)}
    >
      Choose a file
    </FileButton>
  );
}

function AddressForm({ scene }: { scene: YourModel }) {
  const address = useSignal(scene.playground.settings.model.peek() ?? "");
  return (
    <form
      class="address"
      onSubmit={(event) => {
        event.preventDefault();
        if (address.value.trim() !== "") scene.chooseAddress(address.value.trim());
      }}
    >
      <input
        class="text"
        type="text"
        inputMode="url"
        spellcheck={false}
        autocomplete="off"
        aria-label="URL of a model"
        placeholder="or a URL: https://…/model.onnx"
        data-testid="model-address"
        value={address}
        onInput={({ currentTarget }) => (address.value = currentTarget.value)}
      />
      <button type="submit" class="button" data-testid="load-address">
        Load
      </button>
    </form>
  );
}
