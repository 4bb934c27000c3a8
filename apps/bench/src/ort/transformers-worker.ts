import { AutoModel, Tensor, type PreTrainedModel } from "@huggingface/transformers";
import { expose, transfer } from "comlink";
import type { OrtBackend, RunOutput } from "./ort-session.js";
import type { PeerHost } from "./peer-host.js";
import type { BenchTensor } from "./tensors.js";
import { stayHere } from "./transformers-here.js";
import { watchWasmMemory } from "./wasm-memory.js";

const wasmBytes = watchWasmMemory();

/** The complete configuration that transformers.js needs for a model with one session and named inputs. */
const CONFIG = { model_type: "custom" };

/**
 * transformers.js in a worker, as in its guide: a benchmark model as an `AutoModel`, with this page's server as the
 * "hub". It has its own queue, so calls may overlap. Its build of ONNX Runtime supports WebGPU through asyncify, and it
 * uses this build on WASM too.
 */
class TransformersWorker implements PeerHost {
  #model: PreTrainedModel | null = null;

  async open(url: string, backend: OrtBackend): Promise<void> {
    stayHere(url, CONFIG);
    const options = { local_files_only: true, dtype: "fp32", device: backend } as const;
    this.#model = await AutoModel.from_pretrained("bench", options);
  }

  async run(feeds: Readonly<Record<string, BenchTensor>>): Promise<RunOutput> {
    if (this.#model === null) throw new Error("Expected an open model first.");
    const tensors = Object.entries(feeds).map(([name, { type, data, dims }]) => [
      name,
      new Tensor(type, data, [...dims]),
    ]);
    const outputs: Readonly<Record<string, Tensor>> = await this.#model(Object.fromEntries(tensors));
    const [output] = Object.values(outputs);
    if (output === undefined || Array.isArray(output.data)) {
      throw new Error(`Expected an output of numbers, got ${output?.type ?? "none"}.`);
    }
    const { data, dims } = output;
    return transfer({ data, dims }, [data.buffer]);
  }

  wasmBytes(): number {
    return wasmBytes();
  }
}

expose(new TransformersWorker());
