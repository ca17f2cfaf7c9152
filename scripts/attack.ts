import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { CommanderError } from 'commander';
import { defaultCacheDir } from '../src/startup/embedded/tool-cache';
import { operationsOf } from '../test/attack/operations';
import { type ApiDocument, documentWith, LEFT_OUT } from './attack/deviations';
import { type AttackOptions, readOptions } from './attack/options';
import type { KnownIds } from './attack/records';
import { runSections } from './attack/run-sections';
import { DOCUMENTS } from './attack/sections/all';
import { type Counted, emptyTally, figures, findingsOf, seen, summary } from './attack/tally';
import { openTarget } from './attack/target';
import { reportOf } from './attack/trials';
import { createWorld, type World } from './attack/world';
import { readReport } from './schemathesis/report';
import { checkApi, type Run } from './schemathesis/run';
import { pythonWith, SCHEMATHESIS } from './support/python';

/**
 * `npm run attack` attacks a running `npm start`; see `npm run attack -- --help`. Sections attack as strangers, thieves and
 * insiders do; schemathesis attacks from the documents. Exits with 1 at any failure.
 */
async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  const { seed, sections } = options;
  const { target, known, close } = await openTarget();
  try {
    const world = await createWorld(target);
    const out =
      options.out === undefined ? await mkdtemp(join(tmpdir(), 'cardwright-attack-')) : resolve(options.out);
    await mkdir(out, { recursive: true });
    say(`Attack of ${target.api} and ${target.desk} with seed ${seed}; the reports go to ${out}`);
    // Last, because schemathesis closes and blocks whatever it reaches.
    const named = sections.filter((each) => each !== DOCUMENTS);
    const tried = await runSections(world, named, { seed, most: options.cases, show: say });
    for (const line of reportOf(tried, seed)) say(line);
    await writeFile(join(out, 'failures.json'), JSON.stringify(tried, null, 1));
    const findings = sections.includes(DOCUMENTS)
      ? await attackDocuments(world, known, { ...options, out })
      : [];
    await writeFile(join(out, 'findings.json'), JSON.stringify(findings, null, 1));
    const failed = tried.some(({ failures }) => failures.length > 0);
    return failed || findings.some(({ reason }) => reason === undefined) ? 1 : 0;
  } finally {
    await close();
  }
}

/** schemathesis, as a client and as an admin at the API, and as an operator at the desk. */
async function attackDocuments(
  world: World,
  known: KnownIds,
  { maxExamples, seconds, seed, out }: AttackOptions & { out: string },
): Promise<Counted[]> {
  const context = { environment: process.env, cacheDir: defaultCacheDir(process.env), onProgress: say };
  const python = await pythonWith(SCHEMATHESIS, context);
  for (const [operation, why] of Object.entries(LEFT_OUT)) say(`  left out: ${operation}, for ${why}`);
  const { api, desk } = world.documents;
  const admin = await world.tenant('admin');
  const { client } = world.records;
  const asClient = { 'x-client-id': client.clientId, 'x-client-secret': client.clientSecret };
  const asOperator = { authorization: `Bearer ${(await world.hire()).token}` };
  // schemathesis leaves a header out as a caller without a session only where the document calls it a key.
  const token = { type: 'apiKey', in: 'header', name: 'authorization' };
  const bearerAlone = {
    ...desk,
    components: { ...(desk as any).components, securitySchemes: { bearer: token } },
    security: [{ bearer: [] }],
  };
  const deskDocument = documentWith(bearerAlone, known, (document) => operationsOf(document, () => []));
  const runs: [name: string, baseUrl: string, document: ApiDocument, headers: Record<string, string>][] = [
    ['client', world.api, documentWith(api, known), asClient],
    ['admin', world.api, documentWith(api, known), admin.headers],
    ['operator', world.desk, deskDocument, asOperator],
  ];
  const findings: Counted[] = [];
  for (const [name, baseUrl, content, headers] of runs) {
    const document = join(out, `${name}.openapi.json`);
    await writeFile(document, JSON.stringify(content, null, 1));
    const run = { python, baseUrl, document, headers, maxExamples, seconds, seed, show: say };
    findings.push(...(await attackAs(name, { ...run, report: join(out, `${name}.ndjson`) })));
  }
  for (const line of summary(findings)) say(line);
  return findings;
}

async function attackAs(name: string, run: Run): Promise<Counted[]> {
  await checkApi(run);
  const tally = emptyTally();
  const ending = await readReport(run.report, (exchange) => seen(tally, exchange));
  const document = JSON.parse(readFileSync(run.document, 'utf8'));
  const operations = operationsOf(document, () => []).map((one) => one.name);
  for (const line of figures(name, tally, ending, operations)) say(line);
  if (ending.errors.length > 0 || !ending.finished) throw new Error('The attack did not finish: see above.');
  return findingsOf(tally);
}

function say(line: string): void {
  console.log(line);
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    if (!(error instanceof CommanderError)) console.error((error as Error).message);
    process.exit(1);
  },
);
