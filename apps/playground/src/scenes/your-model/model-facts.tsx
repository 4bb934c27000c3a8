import type { BatchedModel, TensorInfo } from "framebatch";
import { formatBytes } from "../../format.js";
import { describeTensor, explainBatching } from "./explain-model.js";

/** The model's inputs and outputs, and how it batches. */
export function ModelFacts({ model }: { model: BatchedModel }) {
  const stats = model.stats();
  return (
    <section class="card facts" aria-labelledby="facts-heading" data-testid="facts">
      <div class="card-head">
        <h2 id="facts-heading">Model</h2>
        <span class="facts-size">{formatBytes(stats.modelBytes)}</span>
      </div>
      <Tensors caption="Inputs" tensors={model.inputs} />
      <Tensors caption="Outputs" tensors={model.outputs} />
      <ul class="facts-words">
        {explainBatching(model.inputs, stats).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </section>
  );
}

function Tensors({ caption, tensors }: { caption: string; tensors: readonly TensorInfo[] }) {
  return (
    <div class="tensors">
      <h3>{caption}</h3>
      <ul>
        {tensors.map((tensor) => (
          <li key={tensor.name}>
            <strong>{tensor.name}</strong> <code>{describeTensor(tensor)}</code>
            {tensor.batchAxis === null ? <span class="tag">shared</span> : null}
          </li>
        ))}
      </ul>
    </div>
  );
}
