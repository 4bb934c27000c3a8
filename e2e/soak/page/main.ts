// The page of the soak tests. It runs framebatch as built and bundled under load, and checks every answer.
import { deleteDatabases, Disposals } from "./disposals.js";
import { guarded } from "./guarded.js";
import { tryModel } from "./hostile-models.js";
import { LifeCycle } from "./life-cycle.js";
import { overload } from "./overload.js";
import { start } from "./starts.js";
import { Subject, type SubjectRequest } from "./subject.js";
import { Streams } from "../../fixtures/streams.js";
import { beginTexts } from "../../fixtures/texts.js";
import { wildInputs } from "./wild-inputs.js";

const soak = {
  open: (request: SubjectRequest) => Subject.open(request),
  openDisposals: (request: SubjectRequest) => Disposals.open(request),
  deleteDatabases,
  guarded,
  tryModel,
  overload,
  start,
  wildInputs,
  beginStreams: (...given: Parameters<typeof Streams.begin>) => Streams.begin(...given),
  beginTexts,
  beginLife: (request: SubjectRequest) => LifeCycle.begin(request),
};

declare global {
  interface Window {
    soak: typeof soak;
  }
}

window.soak = soak;
