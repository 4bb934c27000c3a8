import { RATE } from "@framebatch/models/voices";
import { signal } from "@preact/signals";
import workletUrl from "./microphone.worklet.ts?worker&url";

/** The visitor's microphone, as frames for workers. */
export class Microphone {
  readonly isOn = signal(false);
  /** Why the microphone cannot be used; `null` unless it was tried. */
  readonly problem = signal<string | null>(null);
  #close = (): void => {};

  /** Asks for the microphone. Returns ports that give its frames, each to one listener; none if it cannot be used. */
  async open(listeners: number): Promise<readonly MessagePort[]> {
    this.close();
    const closed = new AbortController();
    this.#close = () => closed.abort();
    this.isOn.value = true;
    try {
      const ports = await openFrames(listeners, closed.signal);
      this.problem.value = null;
      return ports;
    } catch (error) {
      if (closed.signal.aborted) return [];
      this.isOn.value = false;
      this.problem.value = describe(error);
      return [];
    }
  }

  close(): void {
    this.#close();
    this.isOn.value = false;
  }
}

async function openFrames(listeners: number, closed: AbortSignal): Promise<MessagePort[]> {
  // Pages that are not secure have no media devices.
  if (!("mediaDevices" in navigator)) throw new Error("this page is not served over HTTPS");
  const stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } });
  const context = new AudioContext({ sampleRate: RATE });
  const close = (): void => {
    for (const track of stream.getTracks()) track.stop();
    void context.close();
  };
  closed.addEventListener("abort", close, { once: true });
  if (closed.aborted) close();
  closed.throwIfAborted();
  await context.audioWorklet.addModule(workletUrl);
  const node = new AudioWorkletNode(context, "frames", { numberOfOutputs: 0 });
  context.createMediaStreamSource(stream).connect(node);
  const channels = Array.from({ length: listeners }, () => new MessageChannel());
  for (const { port1 } of channels) node.port.postMessage(port1, [port1]);
  return channels.map(({ port2 }) => port2);
}

function describe(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof DOMException && error.name === "NotAllowedError") return "The microphone was not allowed.";
  if (error instanceof DOMException && error.name === "NotFoundError") return "This device has no microphone.";
  return `The microphone cannot be used: ${reason}.`;
}
