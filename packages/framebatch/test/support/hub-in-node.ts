import { createModelAt } from "../../src/client/model/create-batched-model.js";
import { hasGenerate } from "../../src/client/options/generation.js";
import { hasGroup } from "../../src/client/options/grouped-options.js";
import { keepModel } from "../../src/client/options/model-source.js";
import type { BuiltInSite } from "../../src/client/workers/worker-site.js";
import { createGeneratingModelAt } from "../../src/generation/page/generating-model.js";
import { createHub, type CreateModel } from "../../src/hub/page/create-hub.js";
import { type ModelHub, type ModelHubOptions } from "../../src/hub/page/model-hub.js";

/** Creates a hub of models of tensors and decoders, whose workers come from `site`. */
export function hubInNode(site: BuiltInSite, options: ModelHubOptions = {}): ModelHub {
  const create: CreateModel = (source, settings, onUse) => {
    if (hasGroup(settings) || settings.worker !== undefined) throw new TypeError("expected no group and no worker");
    const [sites, kept] = [{ site, share: null }, keepModel(source)];
    if (hasGenerate(settings)) return createGeneratingModelAt(sites, kept, settings, onUse);
    return createModelAt(sites, kept, settings, onUse);
  };
  return createHub(create, options);
}
