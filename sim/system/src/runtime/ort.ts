import type { Realm } from "../kernel/realm.js";
import type { WorkerRealm } from "../browser/worker-realm.js";
import { endWorker } from "./end-worker.js";
import { Gpu } from "./gpu.js";
import {
  cacheBytesOf,
  type DecoderFeeds,
  encodedIn,
  poisonsOf,
  type RanOutputs,
  runDecoder,
  runEncoder,
  textsIn,
} from "./decoder.js";
import { answer, poisonOf, readModelFile, type SimModel } from "./models.js";
import { runRecurrent } from "./recurrent.js";
import { SimTensor } from "./sim-tensor.js";

/** What a worker does not survive. Memory that has run out may end it too. */
const FATAL: readonly string[] = ["trap", "hang", "exit", "oom"];

type Tensors = Readonly<Record<string, SimTensor>>;

/** The outputs to compute, each into its tensor on the GPU, or `null` for one that is read back. */
type Fetches = Readonly<Record<string, SimTensor | null>>;

/** framebatch asks for one provider at a time, by an object with its name. */
interface SessionOptions {
  readonly executionProviders: readonly [{ readonly name: string }];
}

/** @throws for any other form, so that a scenario never runs elsewhere than it says */
function usesGpu({ name }: { readonly name: string }): boolean {
  if (name !== "webgpu" && name !== "wasm") throw new TypeError(`expected "webgpu" or "wasm", got ${name}`);
  return name === "webgpu";
}

/** Returns ONNX Runtime as a worker gets it: sessions that compute rows, and that fail as their fate says. */
export function simRuntime(realm: WorkerRealm): object {
  const device = new Gpu(realm);
  const wasm: { numThreads?: number } = {};
  const create = (bytes: Uint8Array, { executionProviders: [provider] }: SessionOptions) => {
    const isOnGpu = usesGpu(provider);
    if (isOnGpu) realm.gpu = device;
    return createSession(realm, bytes, isOnGpu ? device : null, wasm.numThreads ?? 1);
  };
  return {
    env: { logLevel: "warning", wasm, webgpu: { device }, versions: { common: "1.30.0" } },
    Tensor: SimTensor,
    InferenceSession: { create },
  };
}

async function createSession(realm: WorkerRealm, bytes: Uint8Array, gpu: Gpu | null, threads: number): Promise<object> {
  const { world } = realm;
  await computing(realm, world.latency(1));
  const found = readModelFile(bytes);
  if (found === null && bytes.byteLength > 100) throw new Error("ERROR_CODE: 7, protobuf parsing failed");
  if (found === null) return { release: async () => undefined };
  const { model, version } = found;
  const place = { gpu, threads, sinceMs: realm.world.nowMs };
  let running = 0;
  realm.sessions += 1;
  return {
    inputNames: model.inputs.map(({ name }) => name),
    outputNames: model.outputs.map(({ name }) => name),
    inputMetadata: model.inputs.map(metadataOf),
    outputMetadata: model.outputs.map(metadataOf),
    release: async () => void (realm.sessions -= 1),
    async run(feeds: Tensors, fetches: Fetches | object = {}): Promise<Tensors> {
      if (running > 0) throw new Error("two runs at once");
      running += 1;
      try {
        const outputs = await runModel(realm, { model, version, place }, feeds);
        return areFetches(model, fetches) ? fetched(outputs, fetches, gpu?.isLost === true) : outputs;
      } finally {
        running -= 1;
      }
    },
  };
}

/** Tells outputs from the options of a run, as ONNX Runtime does. */
function areFetches({ outputs }: SimModel, given: Fetches | object): given is Fetches {
  return outputs.some(({ name }) => Object.hasOwn(given, name));
}

/** A lost GPU writes nothing. */
function fetched(outputs: Tensors, fetches: Fetches, isLost: boolean): Tensors {
  const entries = Object.entries(fetches).map(([name, target]) => {
    const computed = outputs[name]!;
    if (target !== null && !isLost) target.write(computed.data);
    return [name, target ?? computed] as const;
  });
  return Object.fromEntries(entries);
}

function metadataOf({ name, dims, type }: SimModel["inputs"][number]): object {
  return { name, isTensor: true, type: type ?? "float32", shape: [...dims] };
}

/** What a session runs. */
interface Running {
  readonly model: SimModel;
  readonly version: number;
  readonly place: Place;
}

/** Where a session runs, and since when. */
interface Place {
  readonly gpu: Gpu | null;
  readonly threads: number;
  readonly sinceMs: number;
}

/** The time of a run of so many rows, in milliseconds. */
function timeOf({ origin: { fates }, world }: Realm, { gpu, threads, sinceMs }: Place, rows: number): number {
  const { baseMs, rowMs, speeds } = fates;
  const usualMs = baseMs + rowMs * rows;
  if (gpu === null && threads === 1) return usualMs;
  const speed = gpu === null ? speeds.threads : speeds.gpu;
  if (world.nowMs - sinceMs < (speeds.lateMs ?? 0)) return usualMs;
  return (speeds.areForOne === true ? rows * (baseMs + rowMs) : usualMs) / speed;
}

/** What a run has in it. */
interface Load {
  readonly rows: number;
  /** The numbers of its items. */
  readonly ids: readonly number[];
  readonly poisons: readonly string[];
  /** How many rows it counts as for its time. */
  readonly weight: number;
  readonly shown: string;
}

async function runModel(realm: Realm, { model, version, place }: Running, feeds: Tensors) {
  const { gpu } = place;
  const { fates } = realm.origin;
  const load = loadOf(model, feeds, realm);
  const { poisons, ids } = load;
  const drawn = fates.next();
  const fate = isTooMany(model, load, realm.world.nowMs) ? model.tooMany!.does : drawn;
  const ms = timeOf(realm, place, load.weight);
  realm.world.note(`run ${load.shown} ${fate} ${poisons.join()}`);
  if (model.states !== undefined) countRuns(ids, fates.timesRun);
  if (fate !== "well" || poisons.length > 0) recordAlone(ids, fates.failedAlone);
  // A text of a run that fails runs alone.
  if (fate === "fail" && model.decoder === undefined) for (const id of ids) fates.suspected.add(id);
  if (FATAL.some((kind) => kind === fate || poisons.includes(kind))) fates.fatal += 1;
  if (fate === "exit") endWorker(realm);
  if (fate === "hang" || poisons.includes("hang")) realm.occupy(Infinity);
  if (realm.isEnded || realm.busyUntilMs === Infinity) return new Promise<never>(() => undefined);
  fates.running += 1;
  const over = () => (fates.running -= 1);
  const lost = () => {
    over();
    recordAlone(ids, fates.failedAlone);
  };
  realm.ends.add(lost);
  await (gpu === null ? computing(realm, fate === "slow" ? ms * 20 : ms) : gpu.pausing(ms));
  realm.ends.delete(lost);
  over();
  if (fate === "trap" || poisons.includes("trap")) throw new WebAssembly.RuntimeError("unreachable");
  if (fate === "oom") throw new Error("std::bad_alloc");
  if (fate === "fail" || poisons.includes("fail")) throw new Error("ERROR_CODE: 1, Non-zero status code returned");
  return outputsOf(gpu === null ? model : { ...model, ...model.onGpu }, version, gpu?.isLost === true, feeds);
}

/** @throws if the model does not run such rows */
function loadOf(model: SimModel, feeds: Tensors, realm: Realm): Load {
  if (model.decoder !== undefined) return loadOfTexts(model, feeds, realm);
  if (model.isEncoder === true) return loadOfEncoder(feeds);
  const [x] = Object.values(feeds);
  if (x === undefined) throw new Error("ERROR_CODE: 2, input 'x' is missing in 'feeds'.");
  checkRows(model, x);
  const rows = x.dims[0] ?? 1;
  return { rows, ids: idsIn(x), poisons: poisonsIn(x), weight: rows, shown: x.dims.join("x") };
}

/** Notes which texts run, too. */
function loadOfTexts(model: SimModel, feeds: Tensors, { origin: { fates }, world }: Realm): Load {
  const data = decoderFeeds(feeds);
  const [rows = 1, count = 1] = data["input_ids"]!.dims;
  const ids = textsIn(model, data);
  fates.textRuns.push({ atMs: world.nowMs, model: model.name, ids, cacheBytes: cacheBytesOf(data) });
  const known = ids.filter((id) => id !== null);
  const shown = `${rows}x${count} ${ids.map((id) => id ?? "trial").join()}`;
  return { rows, ids: known, poisons: poisonsOf(data), weight: rows * count, shown };
}

function loadOfEncoder(feeds: Tensors): Load {
  const data = decoderFeeds(feeds);
  const [rows = 1, count = 1] = data["input_ids"]!.dims;
  const ids = encodedIn(data);
  return { rows, ids, poisons: poisonsOf(data), weight: rows * count, shown: `${rows}x${count} of ${ids.join()}` };
}

function decoderFeeds(feeds: Tensors): DecoderFeeds {
  const entries = Object.entries(feeds).map(([name, { elements, dims }]) => [name, { data: elements, dims }] as const);
  return Object.fromEntries(entries);
}

function isTooMany({ tooMany }: SimModel, { rows }: Load, nowMs: number): boolean {
  return tooMany !== undefined && rows >= tooMany.from && nowMs >= (tooMany.sinceMs ?? 0);
}

/** @throws if a model with a fixed batch gets another number of rows, or rows of a length that it does not run */
function checkRows({ inputs: [input], multipleOf = 1 }: SimModel, { dims: [size, length = 0] }: SimTensor): void {
  if (length % multipleOf > 0) throw new Error(`ERROR_CODE: 1, a row of ${length} cannot be reshaped by ${multipleOf}`);
  const expected = input?.dims[0];
  if (typeof expected === "number" && expected !== size)
    throw new Error(`ERROR_CODE: 2, Got invalid dimensions for input: Got: ${size} Expected: ${expected}`);
}

/** What a lost GPU gives back is zeros. */
function outputsOf(model: Computed, version: number, isLost: boolean, feeds: Tensors): Tensors {
  if (model.decoder !== undefined) return tensorsOf(runDecoder(model, version, decoderFeeds(feeds)), isLost);
  if (model.isEncoder === true) return tensorsOf(runEncoder(decoderFeeds(feeds)), isLost);
  const [x] = Object.values(feeds);
  const { states = [] } = model;
  const computed =
    states.length > 0 ? runRecurrent(model, version, feeds) : new Map([["y", compute(model, version, x!)]]);
  const dims = new Map([["y", x!.dims], ...states.map(({ input, output }) => [output, feeds[input]!.dims] as const)]);
  const tensors = Array.from(computed, ([name, data]) => {
    return [name, new SimTensor("float32", isLost ? new Float32Array(data.length) : data, dims.get(name)!)] as const;
  });
  return Object.fromEntries(tensors);
}

function tensorsOf(computed: RanOutputs, isLost: boolean): Tensors {
  const tensors = Array.from(computed, ([name, { data, dims }]) => {
    return [name, new SimTensor("float32", isLost ? new Float32Array(data.length) : data, dims)] as const;
  });
  return Object.fromEntries(tensors);
}

/** Returns the numbers of the items of a run: those of their second elements. Rows that pad are zeros or copies. */
function idsIn({ data, dims: [size = 1] }: SimTensor): number[] {
  const length = data.length / size;
  const ids = Array.from({ length: size }, (_, row) => Math.floor(data[row * length + 1] ?? 0));
  return [...new Set(ids.filter((id) => id !== 0))];
}

function countRuns(ids: readonly number[], timesRun: Map<number, number>): void {
  for (const id of ids) timesRun.set(id, (timesRun.get(id) ?? 0) + 1);
}

/** Records the item of a run with a single one. */
function recordAlone([only, ...others]: readonly number[], failedAlone: Set<number>): void {
  if (only !== undefined && others.length === 0) failedAlone.add(only);
}

function poisonsIn({ data, dims }: SimTensor): string[] {
  const length = data.length / (dims[0] ?? 1);
  const found: string[] = [];
  for (let row = 0; row < data.length; row += length) {
    const poison = poisonOf(data[row] ?? 0);
    if (poison !== null) found.push(poison);
  }
  return found;
}

/** A model on one provider. */
type Computed = SimModel & { readonly factor?: number };

function compute(model: Computed, version: number, { data, dims: [size = 1] }: SimTensor): Float32Array {
  if (model.passesOn === true) return data.slice();
  const { mixesFrom, countsRows = false, factor = 1 } = model;
  const length = data.length / size;
  const isMixed = mixesFrom !== null && size >= mixesFrom;
  const counted = countsRows ? size - 1 : 0;
  return data.map(
    (x, index) => factor * answer(x, version) + counted + (isMixed ? (data[(index + length) % data.length] ?? 0) : 0),
  );
}

/** Time after a run in which its code goes on before the next message is handled, in milliseconds. */
const RETURN_MS = 1e-3;

/** Computes on the thread of the realm, which does nothing else meanwhile: the code that waits goes on before any message. */
function computing(realm: Realm, ms: number): Promise<void> {
  const { world, life } = realm;
  realm.occupy(world.nowMs + ms + RETURN_MS);
  return new Promise((resolve) => {
    const goOn = () => {
      if (realm.life !== life) return;
      world.current = realm;
      resolve();
    };
    world.post(null, ms, `computed ${realm.name}`, goOn);
  });
}
