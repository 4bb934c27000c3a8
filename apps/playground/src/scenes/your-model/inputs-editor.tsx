import type { TensorInfo } from "framebatch";
import { ByteText, takesBytes } from "./byte-text.js";
import { volumeOf, type ItemPlan } from "./generate-items.js";
import { rangeOf, readOwnValues } from "./generate-values.js";
import { dimensionName, itemDims, usualChoice } from "./input-choice.js";
import { NumberField } from "./number-field.js";
import { PictureField } from "./picture-field.js";
import { pictureShape } from "./picture.js";
import type { YourModel } from "./your-model.js";

const MAX_SIZE = 4096;

/** Maximum number of values that the visitor can enter by hand. */
const MAX_OWN_VALUES = 4096;

/** The inputs with type and shape. The visitor can change sizes, ranges and values. */
export function InputsEditor({ scene, plan }: { scene: YourModel; plan: ItemPlan }) {
  return (
    <section class="card inputs" aria-labelledby="inputs-heading" data-testid="inputs">
      <div class="card-head">
        <h2 id="inputs-heading">Inputs</h2>
        <NumberField label="Seed" value={plan.seed} min={0} onChange={(seed) => (scene.seed.value = seed)} />
      </div>
      {scene.sizeProblem.value === null ? null : (
        <p class="input-problem" role="alert">
          {scene.sizeProblem}
        </p>
      )}
      {plan.inputs.map((input) => (
        <Input key={input.name} scene={scene} plan={plan} input={input} />
      ))}
    </section>
  );
}

interface InputProps {
  readonly scene: YourModel;
  readonly plan: ItemPlan;
  readonly input: TensorInfo;
}

function Input({ scene, plan, input }: InputProps) {
  const choice = plan.choices[input.name] ?? usualChoice(input);
  const hasRange = input.type !== "string" && input.type !== "bool";
  const step = input.type.startsWith("float") ? "any" : 1;
  const { least, most } = rangeOf(input.type);
  const shape = pictureShape(input, itemDims(input, plan.sizes));
  return (
    <fieldset class="input">
      <legend>
        {input.name}{" "}
        <code>
          {input.type} [{itemDims(input, plan.sizes).join(", ")}]
        </code>
      </legend>
      <div class="input-fields">
        <Sizes scene={scene} plan={plan} input={input} />
        {hasRange ? (
          <span class="input-range">
            <NumberField
              label="Values from"
              value={choice.low}
              min={least}
              max={most}
              step={step}
              onChange={(low) => scene.changeInput(input.name, { low, high: Math.max(low, choice.high) })}
            />
            <NumberField
              label="to"
              value={choice.high}
              min={least}
              max={most}
              step={step}
              onChange={(high) => scene.changeInput(input.name, { high, low: Math.min(high, choice.low) })}
            />
          </span>
        ) : null}
        {input.type === "string" ? <p class="input-note">Made-up words</p> : null}
        {input.type === "bool" ? <p class="input-note">Random true or false</p> : null}
      </div>
      {shape === null ? null : <PictureField scene={scene} input={input} shape={shape} choice={choice} />}
      {takesBytes(input, itemDims(input, plan.sizes)) ? (
        <ByteText key={scene.chosen.value?.name} scene={scene} input={input} count={volumeOf(input, plan.sizes)} />
      ) : null}
      <OwnValues scene={scene} plan={plan} input={input} />
    </fieldset>
  );
}

function Sizes({ scene, plan, input }: InputProps) {
  return (
    <>
      {input.dims.map((size, axis) => {
        if (size !== null || axis === input.batchAxis) return null;
        const name = dimensionName(input, axis);
        return (
          <NumberField
            key={name}
            label={name}
            value={plan.sizes[name] ?? 1}
            min={1}
            max={MAX_SIZE}
            onChange={(chosen) => scene.changeSize(name, chosen)}
          />
        );
      })}
    </>
  );
}

function OwnValues({ scene, plan, input }: InputProps) {
  const count = volumeOf(input, plan.sizes);
  if (count > MAX_OWN_VALUES) return null;
  const text = plan.choices[input.name]?.ownValues ?? "";
  const own = readOwnValues(input.type, count, text);
  const separator = input.type === "string" ? "one per line" : "separated by commas or spaces";
  return (
    <details class="own-values">
      <summary>Write the values yourself</summary>
      <label>
        <span class="input-note">
          {count === 1 ? "One value" : `${count} values, ${separator}`}; leave empty for generated values
        </span>
        <textarea
          class="text"
          rows={3}
          spellcheck={false}
          value={text}
          aria-invalid={own?.ok === false}
          onInput={({ currentTarget }) => scene.changeInput(input.name, { ownValues: currentTarget.value })}
        />
      </label>
      {own?.ok === false ? <p class="input-problem">{own.problem} Generated values are used instead.</p> : null}
    </details>
  );
}
