import { serveWorld, type WorldEvents } from "../../worlds/serve-world.js";
import type { WorldFigures, WorldSettings } from "./protocol.js";
import { CarWorld } from "./world.js";

serveWorld((canvas, settings: WorldSettings, on: WorldEvents<WorldFigures>) => new CarWorld(canvas, settings, on));
