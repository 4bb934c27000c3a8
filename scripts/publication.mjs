// Writes into the documentation how to get framebatch, and the badges of the README, as publication.json says: before
// publication nothing leads to npm or GitHub.
import { readFileSync } from "node:fs";
import path from "node:path";
import { fillPage, readCheck } from "./filled-page.mjs";
import { main, root } from "./workspace.mjs";

/** @type {{ isPublic: boolean, repository: string, npm: string }} */
const { isPublic, repository, npm } = JSON.parse(readFileSync(path.join(root, "publication.json"), "utf8"));
const { version } = JSON.parse(readFileSync(path.join(root, "packages/framebatch/package.json"), "utf8"));

const FROM_NPM = `\`\`\`sh
npm install framebatch
\`\`\``;

const FROM_A_COPY = `framebatch is not on npm yet. Build it in a copy of its repository, and install the file in your application:

\`\`\`sh
npm run build
npm pack ./packages/framebatch
cd ../your-application
npm install ../framebatch/framebatch-${version}.tgz
\`\`\``;

const FROM_A_CDN = `\`\`\`html run
<script type="importmap">
  { "imports": { "framebatch": "https://cdn.example/npm/framebatch@${version}/dist/framebatch.js" } }
</script>
<script type="module">
  import { createBatchedModel } from "framebatch";

  const model = await createBatchedModel("/models/digits.onnx");
  const { logits } = await model.predict(new Float32Array(784));
  document.body.append(logits.data.join(" "));
</script>
\`\`\``;

const BADGES = `[![CI](${repository}/actions/workflows/ci.yml/badge.svg)](${repository}/actions/workflows/ci.yml)
[![npm](https://img.shields.io/npm/v/framebatch)](${npm})`;

await main(async () => {
  const how = readCheck("node scripts/publication.mjs");
  const install = isPublic ? FROM_NPM : FROM_A_COPY;
  await fillPage("README.md", { badges: isPublic ? BADGES : "", install }, how);
  await fillPage("docs/get-started.md", { install }, how);
  await fillPage("docs/install.md", { cdn: FROM_A_CDN }, how);
});
