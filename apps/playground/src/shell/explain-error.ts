import { FramebatchError, type ErrorCode } from "framebatch";
import { formatBytes } from "../format.js";

/** An explanation of an error for the visitor. */
export interface Explanation {
  /** What happened. */
  readonly what: string;
  /** What may be the cause, unless the file itself tells. Empty if `what` says it. */
  readonly guess: string;
  /** What the visitor can do. */
  readonly advice: string;
  /** The original error, for debugging. */
  readonly details: string;
  /** True if another attempt with the same bytes fails too. */
  readonly isAboutFile: boolean;
}

interface Words {
  readonly what: string;
  /** @default nothing */
  readonly guess?: string;
  readonly advice: string;
  /** The advice in scenes that have a model of their own, where no file can be chosen. @default `advice` */
  readonly withoutFiles?: string;
  /** True if the cause is in the bytes of the model. */
  readonly isAboutFile?: boolean;
}

const CHECK_ADDRESS = "Check the model's address, or choose the model as a file.";
const CHECK_PAGE = "Reload the page. If its address names a model, check that part of it.";
const ONLINE = "Try again when you are online.";
const RELOAD = "Try again. If it happens again, reload the page.";
const OTHER_BACKEND = "Try again with another backend.";

/** One entry per error code. The compiler rejects a missing one. */
const WORDS: Readonly<Record<ErrorCode, Words>> = {
  MODEL_STATUS: { what: "The server has no model at this address.", advice: CHECK_ADDRESS, withoutFiles: CHECK_PAGE },
  MODEL_NETWORK: {
    what: "The model could not be downloaded.",
    advice:
      "Check your connection and whether the other site allows downloads from this page (CORS). Then try again, or download the model and choose it as a file.",
    withoutFiles: ONLINE,
  },
  MODEL_OFFLINE: {
    what: "This device is offline, and the model is not in this browser's cache.",
    advice: "Try again when you are online, or choose the model as a file.",
    withoutFiles: ONLINE,
  },
  MODEL_CORS: {
    what: "The other site does not allow this page to read the model (CORS).",
    advice: "Download the model with your browser, then choose it as a file here.",
    withoutFiles: CHECK_PAGE,
  },
  MODEL_REDIRECT: {
    what: "The model's address redirects in a loop, or to a place that is not allowed.",
    advice: CHECK_ADDRESS,
    withoutFiles: CHECK_PAGE,
  },
  MODEL_STALLED: {
    what: "The server stopped sending the model halfway.",
    advice: "Try again later. The server or the network may be slow.",
  },
  MODEL_TRUNCATED: {
    what: "The model's file ends too early: part of it is missing.",
    advice: "Try again, or download the file and choose it here.",
    withoutFiles: CHECK_PAGE,
    isAboutFile: true,
  },
  MODEL_HTML: {
    what: "The server sent a web page (HTML) instead of a model.",
    advice: `The address may show a page about the file. Look on that page for the link to the file itself. ${CHECK_ADDRESS}`,
    withoutFiles: CHECK_PAGE,
  },
  MODEL_TOO_LARGE: {
    what: "The model is too large for a browser tab.",
    advice: "Use a smaller model. A quantised export has about a quarter of the size.",
  },
  MODEL_INVALID: {
    what: "This is not an ONNX model that ONNX Runtime can load.",
    guess: "It may have another format, be damaged, or use operators that ONNX Runtime Web does not support.",
    advice: "Choose a file that ends in .onnx, together with its files of weights if it has any.",
    withoutFiles: CHECK_PAGE,
    isAboutFile: true,
  },
  MODEL_INTEGRITY: {
    what: "The model is not the expected one: its checksum differs.",
    advice: "The file may have been replaced, or damaged during the download. Try again later.",
  },
  CACHE_FAILED: {
    what: "This browser could not cache the model.",
    advice:
      "The model works, but the next visit downloads it again. Typical causes are private windows and full disks.",
  },
  WORKER_LOAD_FAILED: {
    what: "The background worker that runs the model did not start.",
    advice: "A content blocker or a security policy may block it. Allow workers for this page and try again.",
  },
  WORKER_CRASHED: { what: "The worker that runs the model stopped.", advice: RELOAD },
  WORKER_HUNG: {
    what: "The model took far longer than a normal run and was stopped.",
    advice: "Try again with fewer callers, a smaller batch, or another backend.",
  },
  SEQUENCE_LOST: {
    what: "The worker that held the state of a stream stopped, and the state could not be restored.",
    advice: "Start the stream again.",
  },
  OUT_OF_MEMORY: {
    what: "There is not enough memory to load the model or to run one item.",
    advice: "Close other tabs, use a smaller model, or set the backend to WASM.",
  },
  BATCH_UNSAFE: {
    what: "This model gives different outputs for batches and for single items.",
    advice:
      "It runs item by item, or not at all if its file requires several items. Export the model so that no row depends on another.",
  },
  PROVIDER_WRONG: {
    what: "The GPU answers otherwise than WASM: it computes this model wrongly.",
    advice: "The model runs on WASM from now on. If the backend is set to WebGPU, set it to Auto or WASM.",
  },
  RUNTIME_LOAD_FAILED: {
    what: "ONNX Runtime, which runs the model, could not be loaded.",
    advice: "Check your connection and try again.",
  },
  UNSUPPORTED: {
    what: "No chosen backend can run this model in this browser.",
    advice:
      "With another backend than Auto, set it to Auto: WASM works almost everywhere. The technical details name what is missing.",
  },
  DEVICE_LOST: {
    what: "The GPU became unavailable.",
    advice: "Try again, or set the backend to WASM, which needs no GPU.",
  },
  INVALID_OPTION: {
    what: "The model cannot be batched as it is.",
    advice:
      "Usually the model has no recognizable batch dimension. Export it with a dynamic first dimension. The technical details name the tensor.",
  },
  INVALID_INPUT: {
    what: "The model does not take these inputs.",
    advice: "Check the sizes and values of the inputs. For your own model, open the scene Your model.",
  },
  INFERENCE_FAILED: {
    what: "The model failed during a prediction.",
    advice: `Generated values may be out of range, such as ids beyond the vocabulary: narrow their range. Otherwise, ${OTHER_BACKEND.toLowerCase()}`,
  },
  HANDLER_FAILED: {
    what: "A function that prepares the input or reads the output failed.",
    advice: "Try another input.",
  },
  OVERLOADED: {
    what: "The model received more requests than it can process.",
    advice: "Choose fewer callers and try again.",
  },
  TIMED_OUT: { what: "The answer did not come in time.", advice: "Choose fewer callers and try again." },
  STAGE_FAILED: { what: "A step before or after the model failed.", advice: RELOAD },
  SUPERSEDED: { what: "A newer request superseded this one.", advice: RELOAD },
  DISPOSED: { what: "The model was closed while it was in use.", advice: RELOAD },
  REMOTE_BLOCKED: { what: "The browser does not let this page use the inference server.", advice: RELOAD },
  REMOTE_UNREACHABLE: { what: "The inference server did not answer.", advice: ONLINE },
  REMOTE_STATUS: { what: "The inference server refused the request.", advice: RELOAD },
  REMOTE_INVALID: { what: "The inference server gave an answer that does not fit the model.", advice: RELOAD },
};

/**
 * Explains an error: one sentence says what happened, and one says what to do.
 * @param canChooseFile whether the visitor can choose a model as a file
 */
export function explainError(error: unknown, canChooseFile: boolean): Explanation {
  const words = error instanceof FramebatchError ? (explainCause(error) ?? WORDS[error.code]) : UNEXPECTED;
  const { what, guess = "", advice, withoutFiles = advice, isAboutFile = false } = words;
  return {
    what: `${what}${figuresOf(error)}`,
    guess,
    advice: canChooseFile ? advice : withoutFiles,
    details: describe(error),
    isAboutFile,
  };
}

/** The path of the file of weights that a model lacks; `null` if it lacks none. */
export function missingWeights(error: unknown): string | null {
  const path = error instanceof FramebatchError ? error.details["externalData"] : null;
  return typeof path === "string" ? path : null;
}

/** An operator that no backend here has; `null` if the error has another cause. */
function unknownOperator(error: unknown): string | null {
  const { named, registered } = OPERATOR.exec(messageOf(error))?.groups ?? {};
  return named ?? registered ?? null;
}

const OPERATOR =
  /(?:No Op registered|Could not find an implementation) for (?<named>\w+)|(?<registered>\S+?)\(-?\d+\) is not a registered function/;

/** What ONNX Runtime says in its own words, which are more exact than the code of the error. */
function explainCause(error: FramebatchError): Words | null {
  const weights = missingWeights(error);
  if (weights !== null) {
    return {
      what: `The model keeps its weights in another file: ${weights}.`,
      advice: `Add ${weights}: choose or drop it, alone or together with the model.`,
      withoutFiles: CHECK_PAGE,
      isAboutFile: true,
    };
  }
  const operator = unknownOperator(error);
  if (operator === null) return explainFile(error);
  return {
    what: `ONNX Runtime Web does not have the operator ${operator}.`,
    advice: "Export the model without it, or with a standard operator in its place.",
    isAboutFile: true,
  };
}

/** The words of framebatch about a file that it has read: what it expected and got, and what helps. */
function explainFile({ code, message }: FramebatchError): Words | null {
  const { said, fix } = /^(?<said>.*expected .*?, got .*?); (?<fix>.+)$/.exec(message)?.groups ?? {};
  const isOwn = said !== undefined && fix !== undefined && !message.includes("ERROR_CODE");
  if (code !== "MODEL_INVALID" || !isOwn) return null;
  return { what: `This model does not load: ${said}.`, advice: `To mend it: ${fix}.`, isAboutFile: true };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "";
}

const UNEXPECTED: Words = { what: "An unexpected error occurred.", advice: RELOAD };

/** The most useful number of the error, if it has one. */
function figuresOf(error: unknown): string {
  if (!(error instanceof FramebatchError)) return "";
  const { status, maxModelBytes } = error.details;
  if (error.code === "MODEL_STATUS" && status !== undefined) return ` The server answered with status ${status}.`;
  if (error.code === "MODEL_TOO_LARGE" && typeof maxModelBytes === "number") {
    return ` The limit is ${formatBytes(maxModelBytes)}.`;
  }
  return "";
}

function describe(error: unknown): string {
  if (error instanceof FramebatchError) return `${error.code}: ${error.message}`;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
