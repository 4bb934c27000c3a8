import { Outage } from "../../src/router/outage.js";
import { Router } from "../../src/router/router.js";
import { type DeviceState, deviceSide, serverSide } from "../../src/router/side.js";
import { Batcher } from "@framebatch/batcher/batcher/batcher.js";
import type { BatcherConfig } from "@framebatch/batcher/batcher/batcher-config.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { CompletedBatch, Origin, RequestOptions, Ticket } from "@framebatch/batcher/queue/request.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";
import { ManualFrames } from "@framebatch/host/test/manual-frames.js";
import { RecordingEngine } from "@framebatch/batcher/test/recording-engine.js";

type SideOptions = Partial<BatcherConfig<string, string>>;

interface RoutingOptions {
  readonly preferred?: Origin;
  readonly maxLatencyMs?: number;
  /** Whether the device is still loading at first. @default false */
  readonly isLoading?: boolean;
  readonly device?: SideOptions;
  readonly server?: SideOptions;
  readonly copyItem?: (item: string) => string;
}

/** A router in front of two batchers, and the outcome of each item: its result and origin, or its error. */
export function routing({
  preferred = "device",
  maxLatencyMs,
  isLoading = false,
  device = {},
  server = {},
  copyItem = (item) => `${item}'`,
}: RoutingOptions = {}) {
  const clock = new ManualClock();
  const common = { clock, frames: new ManualFrames(), release: "idle", maxBatchSize: 4 } as const;
  const objective = maxLatencyMs === undefined ? {} : { maxLatencyMs };
  const engines = { device: new RecordingEngine(clock), server: new RecordingEngine(clock) };
  const local = new Batcher<string, string>({ ...common, ...objective, engine: engines.device, ...device });
  const remote = new Batcher<string, string>({
    ...common,
    ...objective,
    origin: "server",
    engine: engines.server,
    ...server,
  });
  const model: { batcher: typeof local; state: DeviceState; startMs: number } = {
    batcher: local,
    state: "ready",
    startMs: 300,
  };
  const outages: (string | null)[] = [];
  const onChange = (error: FramebatchError | null): void => {
    outages.push(error?.code ?? null);
    router.sidesChanged();
  };
  const outage = new Outage({ now: clock.now, random: () => 1, onChange });
  const router: Router<string, string> = new Router<string, string>(
    {
      timer: clock,
      preferred,
      maxLatencyMs: maxLatencyMs ?? Infinity,
      copyItem,
      wake: () => undefined,
      isLoading: () => isLoading,
    },
    serverSide(remote, outage),
  );
  /** Ends the loading of the device. */
  const loaded = (hasJoined: boolean): void => {
    isLoading = false;
    if (hasJoined) router.join(deviceSide(model, 300));
    router.loadEnded();
    clock.endTask();
  };
  if (!isLoading) loaded(true);
  const outcomes: Record<string, unknown> = {};
  const errors: Record<string, FramebatchError> = {};
  const settle = (item: string, outcome: unknown): void => {
    outcomes[item] = item in outcomes ? "settled twice" : outcome;
  };
  const ask = (item: string, options?: RequestOptions): Ticket =>
    router.enqueue(
      item,
      {
        resolve: (result: string, batch: CompletedBatch | null) => settle(item, `${result} ${batch?.origin}`),
        reject: (error) => {
          if (error instanceof FramebatchError) errors[item] = error;
          settle(item, error instanceof FramebatchError ? error.code : error);
        },
      },
      options,
    );
  /** Makes one request per letter in one task, and dispatches them. */
  const task = (items: string, options?: RequestOptions): Ticket[] => {
    const tickets = Array.from(items, (item) => ask(item, options));
    clock.endTask();
    return tickets;
  };
  /** Fails the oldest batch of a side. */
  const fail = (origin: Origin, error: FramebatchError): void => {
    engines[origin].answer(() => ({ error, divisible: false }));
    clock.endTask();
  };
  return { router, clock, engines, local, remote, model, outage, outages, outcomes, errors, ask, task, fail, loaded };
}

/** The items of each batch that an engine has run, as "a b". */
export function itemsOf({ log }: RecordingEngine): string[] {
  return log.map((line) => line.replace(/^\S+ | \(\w+\)$/g, ""));
}

export const DOWN = new FramebatchError("REMOTE_UNREACHABLE", "no answer");
export const CRASHED = new FramebatchError("WORKER_CRASHED", "the worker crashed");
