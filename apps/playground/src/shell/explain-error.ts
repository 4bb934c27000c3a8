import { FramebatchError, type ErrorCode } from "framebatch";
import { formatBytes } from "../format.js";

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

const CHECK_ADDRESS = "Check the model's address, or choose the model as a file.";
const RELOAD = "Try again. If it happens once more, reload the page.";
const OTHER_BACKEND = "Try again with another backend.";

/** Every code has its words: a new one does not compile without. */
const WORDS: Readonly<Record<ErrorCode, Words>> = {
  MODEL_STATUS: { what: "The server has no model at this address.", advice: CHECK_ADDRESS },
  MODEL_NETWORK: {
    what: "The model could not be downloaded.",
    advice:
      "Check your connection, and that the other site allows downloads from this page (CORS). Then try again, or download the model and choose it as a file.",
  },
  MODEL_OFFLINE: {
    what: "This device is offline, and the model is not in this browser's cache.",
    advice: "Try again once there is a connection, or choose the model as a file.",
  },
  MODEL_CORS: {
    what: "The other site does not let this page read the model (CORS).",
    advice: "Download the model with your browser and choose it as a file here.",
  },
  MODEL_REDIRECT: {
    what: "The model's address redirects in a circle, or to where it may not.",
    advice: CHECK_ADDRESS,
  },
  MODEL_STALLED: {
    what: "The server stopped sending the model halfway.",
    advice: "Try again; what is slow now may be quick later.",
  },
  MODEL_TRUNCATED: {
    what: "The model's file ends too early: part of it is missing.",
    advice: "Try again, or download it once more and choose it as a file.",
  },
  MODEL_HTML: {
    what: "The server sent a web page (HTML) in place of a model.",
    advice: `Many sites show a page about the file at such an address; look there for the link to the file itself. ${CHECK_ADDRESS}`,
  },
  MODEL_TOO_LARGE: {
    what: "The model is too large for a browser tab.",
    advice: "Use a smaller one: a quantised export is a quarter of the size.",
  },
  MODEL_INVALID: {
    what: "This is not an ONNX model that ONNX Runtime can load.",
    advice:
      "It may be of another format, damaged, or use operators that ONNX Runtime Web lacks. Choose a file that ends in .onnx; weights kept in a second file must be packed into it.",
  },
  MODEL_INTEGRITY: {
    what: "The model is not the one that was expected: its checksum differs.",
    advice: "It may have been replaced or damaged on the way. Try again later.",
  },
  CACHE_FAILED: {
    what: "This browser could not keep the model.",
    advice: "It works, but is downloaded again next time. Private windows and full disks do that.",
  },
  WORKER_LOAD_FAILED: {
    what: "The background worker that runs the model did not start.",
    advice: "A content blocker or a security policy may stand in its way. Allow workers for this page and try again.",
  },
  WORKER_CRASHED: { what: "The worker that runs the model stopped.", advice: RELOAD },
  WORKER_HUNG: {
    what: "The model did not answer for far longer than a run takes, and was stopped.",
    advice: "Try again with fewer callers, a smaller batch, or another backend.",
  },
  OUT_OF_MEMORY: {
    what: "There is not enough memory to load the model or to run one item.",
    advice: "Close other tabs, use a smaller model, or set the backend to WASM.",
  },
  BATCH_UNSAFE: {
    what: "This model answers otherwise in a batch than alone.",
    advice:
      "It runs item by item, or not at all if its file asks for several items. Export it so that no row depends on another.",
  },
  RUNTIME_LOAD_FAILED: {
    what: "ONNX Runtime, which runs the model, could not be loaded.",
    advice: "Check your connection and try again.",
  },
  UNSUPPORTED: {
    what: "No chosen backend can run this model in this browser.",
    advice: "Set the backend to Auto: WASM works almost everywhere. The details say what is missing.",
  },
  DEVICE_LOST: {
    what: "The GPU became unavailable.",
    advice: "Try again, or set the backend to WASM, which needs no GPU.",
  },
  INVALID_OPTION: {
    what: "The model cannot be batched as it is.",
    advice:
      "Most often it has no batch dimension that could be found. Export it with a leading dynamic one; the details name the tensor.",
  },
  INVALID_INPUT: {
    what: "The model does not take these inputs.",
    advice: "Check sizes and values of the inputs. For a model of your own, open the scene Your model.",
  },
  INFERENCE_FAILED: {
    what: "The model failed while it predicted.",
    advice: `Generated values may lie outside what it knows, such as ids beyond its vocabulary: narrow their range. Or: ${OTHER_BACKEND.toLowerCase()}`,
  },
  OVERLOADED: { what: "More was asked of the model than it can do.", advice: "Choose fewer callers and try again." },
  TIMED_OUT: { what: "The answer did not come in time.", advice: "Choose fewer callers and try again." },
  SUPERSEDED: { what: "A newer request took this one's place.", advice: RELOAD },
  DISPOSED: { what: "The model was closed while it was in use.", advice: RELOAD },
};

/** Whatever was thrown, as a sentence that says what happened and one that says what to do. */
export function explainError(error: unknown): Explanation {
  const words = error instanceof FramebatchError ? WORDS[error.code] : undefined;
  return {
    what: `${words?.what ?? "Something went wrong that this page did not expect."}${figuresOf(error)}`,
    advice: words?.advice ?? RELOAD,
    details: describe(error),
  };
}

/** The one number that helps, where there is one. */
function figuresOf(error: unknown): string {
  if (!(error instanceof FramebatchError)) return "";
  const { status, maxModelBytes } = error.details;
  if (error.code === "MODEL_STATUS" && status !== undefined) return ` It answered with status ${status}.`;
  if (error.code === "MODEL_TOO_LARGE" && typeof maxModelBytes === "number") {
    return ` The limit is ${formatBytes(maxModelBytes)}.`;
  }
  return "";
}

function describe(error: unknown): string {
  if (error instanceof FramebatchError) return `${error.code}: ${error.message}`;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
