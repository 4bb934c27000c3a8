import { FramebatchError } from "../../core/errors.js";
import { baseUrl } from "../page/host.js";
import { runtimesIn } from "../workers/runtime-files.js";
import { type BuiltInSite, siteAt } from "../workers/worker-site.js";

/** The remedy if the files are not where the bundler was told to put them. */
const FIX =
  "esbuild, Rollup and Angular do not copy it: run npx framebatch copy <folder of the bundle>, or copy it elsewhere and set workerUrl";

/**
 * The worker and ONNX Runtime of the package, for applications that a bundler builds. Bundlers copy a file, unchanged,
 * if they find its name in exactly this expression: `new URL`, a literal, and `import.meta.url`. The worker's is not
 * inside `new Worker`, because bundlers would build it again, and each has its own limits for workers.
 */
export const packagedSite: BuiltInSite = orNowhere(() =>
  siteAt(addressOf(new URL("./framebatch.worker.js", import.meta.url)), {
    fix: FIX,
    runtimes: {
      jspi: {
        script: addressOf(new URL("./framebatch.ort.jspi.js", import.meta.url)),
        wasm: addressOf(new URL("./ort-wasm-simd-threaded.jspi.wasm", import.meta.url)),
      },
      webgpu: {
        script: addressOf(new URL("./framebatch.ort.webgpu.js", import.meta.url)),
        wasm: addressOf(new URL("./ort-wasm-simd-threaded.asyncify.bin", import.meta.url)),
      },
      wasm: {
        script: addressOf(new URL("./framebatch.ort.wasm.js", import.meta.url)),
        wasm: addressOf(new URL("./ort-wasm-simd-threaded.wasm", import.meta.url)),
      },
    },
  }),
);

/** Returns the absolute URL. The `URL` of Next is a class of its own, which may hold a path. */
function addressOf({ href }: URL): string {
  return new URL(href, baseUrl()).href;
}

/** A bundle in the format IIFE has no `import.meta.url`: only the option `workerUrl` can say where the files are. */
function orNowhere(makeSite: () => BuiltInSite): BuiltInSite {
  try {
    return makeSite();
  } catch (cause) {
    const fail = () => {
      throw new FramebatchError(
        "WORKER_LOAD_FAILED",
        "expected a bundle that knows its address (import.meta.url), got one in the format IIFE; run npx framebatch copy <folder>, and set workerUrl",
        { cause },
      );
    };
    return { script: null, fix: FIX, runtimes: runtimesIn("./"), address: fail, start: fail };
  }
}
