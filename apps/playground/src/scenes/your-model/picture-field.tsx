import type { TensorInfo } from "framebatch";
import { useRef } from "preact/hooks";
import type { InputChoice } from "./input-choice.js";
import { describePicture, type PictureShape } from "./picture.js";
import type { YourModel } from "./your-model.js";

interface PictureFieldProps {
  readonly scene: YourModel;
  readonly input: TensorInfo;
  readonly shape: PictureShape;
  readonly choice: InputChoice;
}

/** Takes a picture from a file as the value of an input. */
export function PictureField({ scene, input, shape, choice }: PictureFieldProps) {
  const file = useRef<HTMLInputElement>(null);
  const isSet = choice.picture !== null;
  return (
    <div class="picture-field" data-testid="picture-field">
      <button type="button" class="button button-small" onClick={() => file.current?.click()}>
        {isSet ? "Choose another picture" : "Use a picture"}
      </button>
      {isSet ? (
        <button
          type="button"
          class="button button-small"
          onClick={() => scene.changeInput(input.name, { picture: null })}
        >
          Remove it
        </button>
      ) : null}
      <input
        ref={file}
        type="file"
        accept="image/*"
        class="visually-hidden"
        tabIndex={-1}
        aria-label={`Picture for ${input.name}`}
        data-testid="picture-file"
        onChange={({ currentTarget }) => {
          const [picture] = currentTarget.files ?? [];
          if (picture !== undefined) void scene.choosePicture(input.name, picture);
          currentTarget.value = "";
        }}
      />
      <span class="input-note">
        {isSet ? "Every item is this picture, " : ""}
        {describePicture(shape, choice)}
      </span>
    </div>
  );
}
