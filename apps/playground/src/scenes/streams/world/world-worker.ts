import { serveWorld, type WorldEvents } from "../../worlds/serve-world.js";
import type { StreamFigures, StreamSettings } from "./protocol.js";
import { StreamWorld } from "./stream-world.js";

serveWorld((canvas, settings: StreamSettings, on: WorldEvents<StreamFigures>) => new StreamWorld(canvas, settings, on));
