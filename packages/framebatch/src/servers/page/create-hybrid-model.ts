import { Collator } from "@framebatch/rows/collate/collator.js";
import { planChecks } from "@framebatch/rows/collate/input-range.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { hostTimer } from "@framebatch/host/host-timer.js";
import { bothFailed } from "@framebatch/remote/router/routed-request.js";
import { checkHybridOptions, type HybridModelOptions, remoteModelOptions } from "./hybrid-options.js";
import type { KeptModel } from "../../client/options/model-source.js";
import { type Collation, collationOf, modelOn, openingBounds } from "./create-remote-model.js";
import { type RemoteModelOptions } from "./remote-model-options.js";
import { type RemoteHost, RemoteServer } from "@framebatch/remote/server/remote-server.js";
import { createWith } from "../../client/model/create-batched-model.js";
import { HybridAssembly, hasFixedItems } from "./hybrid-assembly.js";
import type { RoutedModel } from "./routed-model.js";
import type { TensorSites } from "../../client/model/load-plan.js";
import { sharedResults } from "../../client/model/shared-results.js";
import { tensorItems } from "../../client/model/item-kind.js";
import type { Outage } from "@framebatch/remote/router/outage.js";

const PAGE: RemoteHost = { timer: hostTimer, random: Math.random };

/**
 * Creates a model that runs on the device and on a server, as `createBatchedModel` does.
 * @throws the errors of `createBatchedModel`
 */
export async function createHybridModelAt(
  sites: TensorSites,
  source: KeptModel,
  options: HybridModelOptions,
  host: RemoteHost = PAGE,
): Promise<RoutedModel> {
  checkHybridOptions(options);
  return new HybridLoad(sites, source, options, host).start();
}

/** Loads the model on both sides. The model is ready with the preferred side, or with the other one if that fails. */
class HybridLoad {
  readonly #sites: TensorSites;
  readonly #source: KeptModel;
  readonly #options: HybridModelOptions;
  readonly #remoteOptions: RemoteModelOptions;
  readonly #host: RemoteHost;
  readonly #assembly: HybridAssembly;
  readonly #opener: ServerOpener;
  #server: RemoteServer | null = null;
  /** The collation of the device's signature, once a worker has the model. */
  #own: Collation | null = null;
  /** The load of the device in progress; `null` if there is none. */
  #deviceLoad: Promise<void> | null = null;

  constructor(sites: TensorSites, source: KeptModel, options: HybridModelOptions, host: RemoteHost) {
    const assembly = new HybridAssembly(options, host);
    this.#sites = sites;
    this.#source = source;
    this.#options = options;
    this.#remoteOptions = { ...remoteModelOptions(options), signal: assembly.stop.signal };
    const { outage } = assembly;
    this.#host = {
      ...host,
      mayRetry: () => assembly.sides.device?.state !== "ready",
      onChange: (callback) => assembly.sides.listen(callback),
      refusal: () => (assembly.hasDevice ? outage.refusal : null),
      onStatus: (error) => outage.told(error),
    };
    this.#assembly = assembly;
    this.#opener = new ServerOpener(assembly.outage, () => this.#openServer(), assembly.stop.signal);
  }

  /** @throws `options.signal.reason` on an abort; the error of the preferred side when neither has the model */
  async start(): Promise<RoutedModel> {
    const { signal } = this.#options;
    const { stop } = this.#assembly;
    const abort = () => stop.abort(signal?.reason);
    if (signal?.aborted === true) abort();
    signal?.addEventListener("abort", abort);
    try {
      stop.signal.throwIfAborted();
      await this.#load();
      return this.#assembly.model();
    } catch (error) {
      const reason: unknown = stop.signal.aborted ? stop.signal.reason : error;
      this.#assembly.sides.dispose(reason);
      throw reason;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  async #load(): Promise<void> {
    const { mode, sides } = this.#assembly;
    const device = () => this.#openDevice();
    const server = () => this.#opener.open();
    if (mode === "only-on-device") return device();
    this.#checkAddress();
    if (mode === "only-in-cloud") return server();
    sides.open = { device, server };
    this.#assembly.wake = () => this.#opener.openInBackground();
    if (mode === "prefer-on-device") await this.#either("device", device(), server());
    else await this.#either("server", server(), device());
  }

  /** Waits for the preferred side, and only if it fails for the other one. */
  async #either(origin: "device" | "server", preferred: Promise<void>, other: Promise<void>): Promise<void> {
    const otherOrigin = origin === "device" ? "server" : "device";
    other.catch(() => undefined);
    try {
      await preferred;
    } catch (first) {
      if (!(first instanceof FramebatchError) || first.code === "INVALID_OPTION") throw first;
      try {
        await other;
      } catch (second) {
        if (!(second instanceof FramebatchError)) throw second;
        throw bothFailed({ origin, error: first }, { origin: otherOrigin, error: second });
      }
    }
  }

  /** @throws INVALID_OPTION when the address is not one of a server */
  #checkAddress(): void {
    try {
      this.#serverOf();
    } catch (error) {
      // The device can answer in place of a server that this page must not ask.
      if (!(error instanceof FramebatchError) || error.code !== "REMOTE_BLOCKED") throw error;
    }
  }

  #serverOf(): RemoteServer {
    return (this.#server ??= new RemoteServer(this.#options.remote.url, this.#remoteOptions, this.#host));
  }

  #openDevice(): Promise<void> {
    this.#assembly.isLoading = true;
    return (this.#deviceLoad ??= this.#loadDevice()
      .catch((error) => this.#deviceFailed(error))
      .finally(() => {
        this.#deviceLoad = null;
        this.#assembly.deviceLoaded();
      }));
  }

  /** Reports why the device does not join. The outage reports the server's errors. @throws `error` */
  #deviceFailed(error: unknown): never {
    if (!this.#assembly.stop.signal.aborted && error instanceof FramebatchError) this.#assembly.report(error);
    throw error;
  }

  async #loadDevice(): Promise<void> {
    const { signal } = this.#assembly.stop;
    const options = { ...this.#options, signal };
    const startedAtMs = performance.now();
    const device = await createWith({ ...this.#sites, served: null }, this.#source, options, ({ session }) => {
      const { signature, padding } = session.model;
      const collator = new Collator(signature, padding, planChecks(signature.inputs, options.validate));
      this.#own = { signature, collator };
      return tensorItems(collator.reader, sharedResults(options), true);
    });
    try {
      signal.throwIfAborted();
      if (this.#own !== null) this.#assembly.addDevice(device, this.#own, performance.now() - startedAtMs);
    } catch (error) {
      await device.dispose();
      throw error;
    }
  }

  async #openServer(): Promise<void> {
    const server = this.#serverOf();
    const metadata = await server.open(openingBounds(this.#remoteOptions));
    // Items are prepared as the device needs it, unless that makes no difference.
    if (this.#assembly.mode === "prefer-on-device" || !hasFixedItems(metadata))
      await this.#deviceLoad?.catch(() => undefined);
    this.#assembly.stop.signal.throwIfAborted();
    const items = this.#assembly.itemsOf(metadata, () => collationOf(metadata, this.#options));
    this.#assembly.addServer(modelOn(server, items, this.#remoteOptions, this.#host));
  }
}

/** Opens a server: at the start, and if that fails, again and again while requests are made. */
export class ServerOpener {
  readonly #outage: Outage;
  readonly #open: () => Promise<void>;
  readonly #signal: AbortSignal;
  #opening: Promise<void> | null = null;
  #isOpen = false;

  /**
   * @param open opens the server. Throws a `FramebatchError` when it does not serve the model
   * @param signal aborts when the model has ended: what fails then says nothing about the server
   */
  constructor(outage: Outage, open: () => Promise<void>, signal: AbortSignal) {
    this.#outage = outage;
    this.#open = open;
    this.#signal = signal;
  }

  /** Opens the server in the background, unless it is open or has failed just now, or the model has ended. */
  openInBackground(): void {
    if (this.#isOpen || this.#opening !== null || this.#signal.aborted) return;
    if (this.#outage.mayTry) this.open().catch(() => undefined);
  }

  /** Opens the server. While it is being opened, a further call waits for the same end. @throws what `open` throws */
  open(): Promise<void> {
    return (this.#opening ??= this.#attempt().finally(() => (this.#opening = null)));
  }

  async #attempt(): Promise<void> {
    this.#outage.sent(this);
    const opened = this.#outage.opening();
    try {
      await this.#open();
      this.#isOpen = true;
      opened();
    } catch (error) {
      if (error instanceof FramebatchError && !this.#signal.aborted) this.#outage.failed(this, error);
      else this.#outage.ended(this);
      throw error;
    }
  }
}
