import type { HybridModel } from "../../../../packages/framebatch/src/client/options/model.js";
import type { Page } from "../browser/page.js";
import { InferenceServer, TOKEN } from "./inference-server.js";
import type { HybridSubject, RemoteSubject } from "../scenario/kinds.js";
import { type Callable, callableOf, modelUrl } from "./callable.js";
import { elementsOf } from "./items.js";

/** The server of a subject. The query is a secret. */
function serverOf({ server: spec }: RemoteSubject | HybridSubject, index: number, page: Page) {
  const { witness, network } = page.origin;
  if (spec.batch !== "dynamic") witness.refused.add(index);
  const server = new InferenceServer(`server ${index}`, spec, page.world, witness);
  network.serve(`https://inference${index}.example/`, server.serve, server.sent);
  return { server, url: `https://inference${index}.example/?token=${TOKEN}` };
}

/** Options that the caller changes right after the call: what was given at the call counts. */
function headersOnce(): { readonly headers: Record<string, string>; readonly change: () => void } {
  const headers = { authorization: TOKEN };
  return { headers, change: () => void (headers.authorization = "another") };
}

/** The least time after which a run counts as hung. */
const RUN_TIMEOUT_MS = 10_000;

export async function openRemote(subject: RemoteSubject, index: number, page: Page): Promise<Callable> {
  const { server, url } = serverOf(subject, index, page);
  server.patienceMs = RUN_TIMEOUT_MS;
  const { headers, change } = headersOnce();
  const opening = page.framebatch.createRemoteModel(url, { ...subject.options, model: "affine", headers });
  change();
  return callableOf(await opening);
}

/** Whether the device answers in place of the server. One that did not open, or has failed, does not. */
function hasDevice(model: Pick<HybridModel, "stats">): boolean {
  const state = model.stats().models.device?.state;
  return state === "ready" || state === "recovering";
}

/** Opens a hybrid model. Items whose act is an abort are aborted when the model tells of an error. */
export async function openHybrid(subject: HybridSubject, index: number, page: Page): Promise<Callable> {
  const { server, url } = serverOf(subject, index, page);
  const { headers, change } = headersOnce();
  const remote = { ...subject.remote, url, model: "affine", headers };
  const opening = page.framebatch.createBatchedModel(modelUrl(subject.model), { ...subject.options, remote });
  change();
  const model = await opening;
  const isDisturbed = () => page.origin.fates.fatal > 0;
  if (subject.remote["mode"] !== "only-in-cloud") server.countsOnRest = () => !isDisturbed() || hasDevice(model);
  server.hasDevice = () => hasDevice(model);
  const given = new Set<number>();
  model.addEventListener("error", () => {
    for (const id of given) page.origin.witness.askerOf(id)?.abort();
  });
  const callable = callableOf(model, (item) => {
    if (item.act?.does === "abort") given.add(item.id);
    return { x: elementsOf(item) };
  });
  const restart = async () => {
    server.mayBeAsked();
    await model.restart();
  };
  return Object.assign(callable, { restart });
}
