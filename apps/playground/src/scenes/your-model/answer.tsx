import type { Outputs, Tensor } from "framebatch";
import type { YourModel } from "./your-model.js";

const SHOWN_VALUES = 12;

/** The latest outputs; of each tensor the first values. */
export function Answer({ scene }: { scene: YourModel }) {
  const outputs = scene.answer.value;
  return (
    <section class="card answer" aria-labelledby="answer-heading" data-testid="answer">
      <div class="card-head">
        <h2 id="answer-heading">Outputs</h2>
        <button
          type="button"
          class="button button-small"
          data-testid="ask-once"
          disabled={scene.playground.comparing}
          onClick={() => void scene.askOnce()}
        >
          Run once
        </button>
      </div>
      {outputs === null ? <p class="input-note">Nothing yet</p> : <Tensors outputs={outputs} />}
    </section>
  );
}

function Tensors({ outputs }: { outputs: Outputs }) {
  return (
    <dl class="answer-tensors">
      {Object.entries(outputs).map(([name, tensor]) => (
        <div key={name}>
          <dt>
            {name}{" "}
            <code>
              {tensor.type} [{tensor.dims.join(", ")}]
            </code>
          </dt>
          <dd>{firstValues(tensor)}</dd>
        </div>
      ))}
    </dl>
  );
}

function firstValues({ data }: Tensor): string {
  const values = Array.from({ length: Math.min(SHOWN_VALUES, data.length) }, (_, index) => show(data[index]));
  return `${values.join("  ")}${data.length > SHOWN_VALUES ? "  …" : ""}`;
}

function show(value: number | bigint | string | undefined): string {
  if (typeof value !== "number" || Number.isInteger(value)) return String(value);
  return value.toPrecision(4);
}
