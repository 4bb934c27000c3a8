/** An event of Chromium's trace format. Times in microseconds. */
export interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  /** The processor time that the thread has used until then. */
  readonly tts?: number;
  /** Of a profile's first event and its chunks, equal for all of a thread. */
  readonly id?: string;
  readonly args: {
    readonly name?: string;
    readonly data?: {
      readonly traceId?: string;
      readonly timeDeltas?: readonly number[];
      readonly cpuProfile?: { readonly nodes?: readonly ProfileNode[]; readonly samples?: readonly number[] };
    };
  };
}

interface ProfileNode {
  readonly id: number;
  readonly parent?: number;
  readonly callFrame: CallFrame;
}

/** A function of a profile, at the place where its script has it. Lines and columns count from 0. */
export interface CallFrame {
  readonly functionName: string;
  readonly url?: string;
  readonly lineNumber?: number;
  readonly columnNumber?: number;
}

/** The two threads of a model. */
export interface Threads {
  readonly page: number;
  readonly worker: number;
}

/** Where the time between the messages of calls goes that one caller makes one after the other. In microseconds. */
export interface Passages {
  /** From sending a run to its arrival in the worker. */
  readonly out: readonly number[];
  /** From its arrival to sending its answer. */
  readonly worker: readonly number[];
  /** From sending an answer to its arrival on the page. */
  readonly back: readonly number[];
  /** From the arrival of an answer to sending the next run. */
  readonly page: readonly number[];
}

/**
 * Finds the thread of the page, and of its workers the one that has used most processor time.
 * @throws if the page has no worker
 */
export function threadsOf(events: readonly TraceEvent[]): Threads {
  const workers = namedThreads(events, "DedicatedWorker thread");
  const busiest = workers.toSorted((a, b) => processorTimeOf(events, b.tid) - processorTimeOf(events, a.tid))[0];
  const page = namedThreads(events, "CrRendererMain").find(({ pid }) => pid === busiest?.pid);
  if (page === undefined || busiest === undefined) throw new Error("Expected a page with a worker, got none.");
  return { page: page.tid, worker: busiest.tid };
}

/**
 * Measures the passages of one caller's calls. Other messages, such as notices, are left out. Without messages, as where the
 * page shares memory with its worker, there are none.
 */
export function passagesOf(events: readonly TraceEvent[], { page, worker }: Threads): Passages {
  const runs: Message[] = [];
  const answers: Message[] = [];
  for (const message of messagesOf(events)) {
    if (message.sent.tid === page && message.handled.tid === worker) runs.push(message);
    else if (message.sent.tid === worker && message.handled.tid === page) answers.push(message);
  }
  const passages = { out: [] as number[], worker: [] as number[], back: [] as number[], page: [] as number[] };
  for (const [index, run] of runs.entries()) {
    const next = runs[index + 1];
    const answer = answers.find(
      ({ sent }) => sent.ts >= run.handled.ts && (next === undefined || sent.ts <= next.sent.ts),
    );
    if (answer === undefined) continue;
    passages.out.push(run.handled.ts - run.sent.ts);
    passages.worker.push(answer.sent.ts - run.handled.ts);
    passages.back.push(answer.handled.ts - answer.sent.ts);
    if (next !== undefined) passages.page.push(next.sent.ts - answer.handled.ts);
  }
  return passages;
}

/** Returns the processor time that a thread used from its first event to its last one, in microseconds. */
export function processorTimeOf(events: readonly TraceEvent[], thread: number): number {
  const times = events.flatMap(({ tid, tts }) => (tid === thread && tts !== undefined ? [tts] : []));
  return times.length === 0 ? 0 : times.reduce((a, b) => Math.max(a, b)) - times.reduce((a, b) => Math.min(a, b));
}

/**
 * Returns the sampled time in each function of a thread's scripts, without the functions that it calls, in microseconds. What
 * the browser does for a function, such as `postMessage`, counts as that function's.
 */
export function selfTimesOf(events: readonly TraceEvent[], thread: number): ReadonlyMap<CallFrame, number> {
  const ids = new Set(
    events.filter(({ name, tid }) => name === "Profile" && tid === thread).map(({ pid, id }) => `${pid} ${id}`),
  );
  const chunks = events
    .filter(({ name, pid, id }) => name === "ProfileChunk" && ids.has(`${pid} ${id}`))
    .toSorted((a, b) => a.ts - b.ts);
  const callers = new Map<number, CallFrame>();
  const times = new Map<CallFrame, number>();
  for (const { args } of chunks) {
    const { nodes = [], samples = [] } = args.data?.cpuProfile ?? {};
    for (const { id, parent, callFrame } of nodes) {
      const caller = parent === undefined || isOfScript(callFrame) ? undefined : callers.get(parent);
      callers.set(id, caller !== undefined && isOfScript(caller) ? caller : callFrame);
    }
    for (const [index, sample] of samples.entries()) {
      const frame = callers.get(sample);
      if (frame !== undefined) times.set(frame, (times.get(frame) ?? 0) + (args.data?.timeDeltas?.[index] ?? 0));
    }
  }
  return times;
}

function isOfScript({ url = "", functionName }: CallFrame): boolean {
  return url !== "" || functionName === "(garbage collector)";
}

interface Message {
  readonly sent: TraceEvent;
  readonly handled: TraceEvent;
}

/** Pairs what was sent with what was handled, in the order of sending. */
function messagesOf(events: readonly TraceEvent[]): readonly Message[] {
  const sent = new Map<string, TraceEvent>();
  const messages: Message[] = [];
  for (const event of events) {
    if (event.name === "SchedulePostMessage" && event.ph === "I") sent.set(event.args.data?.traceId ?? "", event);
  }
  for (const event of events) {
    const start = event.name === "HandlePostMessage" && event.ph === "X" && sent.get(event.args.data?.traceId ?? "");
    if (start) messages.push({ sent: start, handled: event });
  }
  return messages.toSorted((a, b) => a.sent.ts - b.sent.ts);
}

function namedThreads(events: readonly TraceEvent[], name: string): TraceEvent[] {
  return events.filter((event) => event.name === "thread_name" && event.args.name === name);
}
