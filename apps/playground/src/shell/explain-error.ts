import { FramebatchError, type ErrorCode } from "framebatch";

/** A failure in plain words. */
export interface Explanation {
  /** What happened. */
  readonly what: string;
  /** What the visitor can do. */
  readonly advice: string;
  /** The error itself, for whoever looks into it. */
  readonly details: string;
}

type Words = Pick<Explanation, "what" | "advice">;

const ADDRESS_ADVICE = "Check the address after ?model= or open the page without it to use the built-in model.";
const RELOAD_ADVICE = "Try again. If it happens once more, reload the page.";

const WORDS: Readonly<Partial<Record<ErrorCode, Words>>> = {
  MODEL_STATUS: { what: "The server has no model at this address.", advice: ADDRESS_ADVICE },
  MODEL_NETWORK: {
    what: "The model could not be downloaded.",
    advice: "Check your connection, and that the other site allows downloads from this page (CORS). Then try again.",
  },
  MODEL_INVALID: {
    what: "What came back is not an ONNX model.",
    advice: `A server may have sent a web page or a damaged file in its place. ${ADDRESS_ADVICE}`,
  },
  MODEL_INTEGRITY: {
    what: "The model is not the one that was expected: its checksum differs.",
    advice: "It may have been replaced or damaged on the way. Try again later.",
  },
  WORKER_LOAD_FAILED: {
    what: "The background worker that runs the model did not start.",
    advice: "A content blocker or a security policy may stand in its way. Allow workers for this page and try again.",
  },
  RUNTIME_LOAD_FAILED: {
    what: "ONNX Runtime, which runs the model, could not be loaded.",
    advice: "Check your connection and try again.",
  },
  UNSUPPORTED: {
    what: "The chosen backend does not work in this browser.",
    advice: "Set the backend to Auto: WASM works almost everywhere.",
  },
  WORKER_CRASHED: { what: "The worker that runs the model stopped.", advice: RELOAD_ADVICE },
  DEVICE_LOST: {
    what: "The GPU became unavailable.",
    advice: "Try again, or set the backend to WASM, which needs no GPU.",
  },
  INVALID_INPUT: {
    what: "This model does not take the pictures of this page.",
    advice: `It needs one input "image" of 1 × 28 × 28 numbers. ${ADDRESS_ADVICE}`,
  },
  INFERENCE_FAILED: {
    what: "The model failed while it predicted.",
    advice: `Try again with another backend. If it is not the built-in model: ${ADDRESS_ADVICE}`,
  },
  OVERLOADED: { what: "More was asked of the model than it can do.", advice: "Choose fewer tiles and try again." },
};

/** Whatever was thrown, as a sentence that says what happened and one that says what to do. */
export function explainError(error: unknown): Explanation {
  const words = error instanceof FramebatchError ? WORDS[error.code] : undefined;
  return {
    what: `${words?.what ?? "Something went wrong that this page did not expect."}${statusOf(error)}`,
    advice: words?.advice ?? RELOAD_ADVICE,
    details: describe(error),
  };
}

function statusOf(error: unknown): string {
  if (!(error instanceof FramebatchError) || error.code !== "MODEL_STATUS") return "";
  const status = error.details["status"];
  return status === undefined ? "" : ` It answered with status ${status}.`;
}

function describe(error: unknown): string {
  if (error instanceof FramebatchError) return `${error.code}: ${error.message}`;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
