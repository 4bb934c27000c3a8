import { useSignal } from "@preact/signals";
import type { BatchedModel, ModelStats, TensorInfo } from "framebatch";
import { useEffect } from "preact/hooks";
import { formatBytes, formatCount, formatNumber } from "../../format.js";
import { batchNotes, describeTensor, explainBatching } from "./explain-model.js";
import type { GraphFacts } from "./graph/graph-facts.js";

/** Time between two looks at a check of batches that goes on, in ms. */
const LOOK_MS = 500;

/** What the model's file says, its inputs and outputs, and whether and how it batches. */
export function ModelFacts({ model, graph }: { model: BatchedModel; graph: GraphFacts | null }) {
  const stats = useCheckedStats(model);
  return (
    <section class="card facts" aria-labelledby="facts-heading" data-testid="facts">
      <h2 id="facts-heading">Model</h2>
      <p class="facts-verdict" data-testid="batchable">
        {explainBatching(model.inputs, stats)}
      </p>
      <dl class="facts-graph">
        <Fact name="Size" value={formatBytes(stats.modelBytes)} />
        {graph === null ? null : <GraphRows graph={graph} />}
      </dl>
      <Tensors caption="Inputs" tensors={model.inputs} />
      <Tensors caption="Outputs" tensors={model.outputs} />
      <ul class="facts-words">
        {batchNotes(model.inputs, stats).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </section>
  );
}

/** The model's statistics, read again until its batches are checked: no event tells that. */
function useCheckedStats(model: BatchedModel): ModelStats {
  const stats = useSignal(model.stats());
  useEffect(() => {
    stats.value = model.stats();
    if (isChecked(stats.value)) return undefined;
    const timer = setInterval(() => {
      stats.value = model.stats();
      if (isChecked(stats.value)) clearInterval(timer);
    }, LOOK_MS);
    return () => clearInterval(timer);
  }, [model]);
  return stats.value;
}

function isChecked({ batchCheck }: ModelStats): boolean {
  return batchCheck.outcome !== "inconclusive";
}

function GraphRows({ graph: { name, producer, opset, operators, parameters } }: { graph: GraphFacts }) {
  return (
    <>
      <Fact name="Parameters" value={formatCount(parameters)} />
      <Fact name="Operators" value={formatNumber(operators)} />
      <Fact name="Opset" value={opset === null ? "none" : String(opset)} />
      {producer === "" ? null : <Fact name="Exported by" value={producer} />}
      {name === "" ? null : <Fact name="Graph" value={name} />}
    </>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
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
