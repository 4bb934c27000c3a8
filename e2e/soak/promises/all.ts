import type { SoakPromise } from "../kit/promise.js";
import { P1 } from "./p1-load.js";
import { P10 } from "./p10-inputs.js";
import { P11 } from "./p11-disposals.js";
import { P12 } from "./p12-security.js";
import { P13 } from "./p13-starts.js";
import { P14 } from "./p14-changes-of-way.js";
import { P15 } from "./p15-streams.js";
import { P16 } from "./p16-texts.js";
import { P2 } from "./p2-worker-deaths.js";
import { P3 } from "./p3-gpu-losses.js";
import { P4 } from "./p4-poison.js";
import { P6 } from "./p6-life-cycle.js";
import { P7 } from "./p7-overload.js";
import { P8 } from "./p8-downloads.js";
import { P9 } from "./p9-cache.js";

/** The promises in test order: the longest first, because two run at a time, and the quiet ones last. */
export const PROMISES: readonly SoakPromise[] = [P12, P15, P16, P6, P2, P3, P11, P8, P9, P14, P13, P10, P4, P1, P7];
