import type { PageReport, Site, Standing } from "../../src/results.js";
import { groupKey } from "../../src/run/plan.js";
import type { RunSpec } from "../../src/spec.js";
import { runPage, type BrowserRequest, type PageRun } from "./browser.js";
import type { PagesBySite } from "../plans.js";
import { poolPages, reportsOf } from "../results/pool.js";

/** The share of the time that the first pages of all sites may take; the rest tells what they could not. */
const FIRST_SHARE = 0.7;

/** The maximum number of pages that measure a group again on one site. */
const MAX_AGAIN = 6;

/** The least time in which another page can measure something, in ms. */
const LEAST_AGAIN_MS = 20_000;

export interface PagesRequest extends Omit<BrowserRequest, "url" | "spec"> {
  /** The URL of the built benchmark page on each site. */
  readonly urls: Readonly<Record<Site, string>>;
  readonly counts: PagesBySite;
  readonly spec: RunSpec;
  /** The clock, in ms. */
  readonly now: () => number;
}

/**
 * Measures one backend on several pages, each in a browser of its own, since pages differ by more than the rounds of one
 * page do. Sites take turns. Then, as long as there is time, measures on further pages the groups in which a promise
 * cannot be told.
 */
export async function runPages(request: PagesRequest): Promise<PageRun[]> {
  const { counts, spec, now } = request;
  const endMs = now() + spec.budgetMs;
  const order = inTurns(counts);
  const rounds = Math.ceil((spec.rounds * sitesOf(counts).length) / order.length);
  const runs: PageRun[] = [];
  const open = (site: Site, budgetMs: number, groups?: readonly string[]): Promise<PageRun> => {
    request.say(`page ${runs.length + 1}, ${site} site`);
    const own = { ...spec, rounds, budgetMs, seed: spec.seed + runs.length };
    return runPage({ ...request, url: request.urls[site], spec: groups === undefined ? own : { ...own, groups } });
  };
  const isOnly = order.length === 1;
  for (const [index, site] of order.entries()) {
    const leftMs = endMs - now() - (isOnly ? 0 : (1 - FIRST_SHARE) * spec.budgetMs);
    runs.push(await open(site, leftMs / (order.length - index)));
    if (runs.at(-1)?.problem?.isAbsence === true) return runs;
  }
  if (isOnly) return runs;
  for (let again = 0; again < MAX_AGAIN; again++) {
    for (const site of sitesOf(counts)) {
      const groups = untold(reportsOf(runs), spec.seed, site);
      if (groups.length > 0 && endMs - now() >= LEAST_AGAIN_MS) runs.push(await open(site, endMs - now(), groups));
    }
  }
  return runs;
}

function sitesOf(counts: PagesBySite): Site[] {
  return (["isolated", "ordinary"] as const).filter((site) => counts[site] > 0);
}

/** Returns the site of each page: one page of each site, then the next of each. */
function inTurns(counts: PagesBySite): Site[] {
  const rounds = Array.from({ length: Math.max(...Object.values(counts)) }, (_, round) => round);
  return rounds.flatMap((round) => sitesOf(counts).filter((site) => round < counts[site]));
}

/** Returns the groups of a site with a promise that cannot be told, as the spec of a run names them. */
function untold(reports: readonly PageReport[], seed: number, site: Site): string[] {
  const isOpen = (standing: Standing) => standing.site === site && standing.outcome === "cannot tell";
  const open = poolPages(reports, seed).standings.filter(isOpen);
  return [...new Set(open.map(({ model, load }) => groupKey(model, load)))];
}
