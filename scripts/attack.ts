import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { CommanderError } from 'commander';
import { cardwright } from '../client/src';
import { readConfig } from '../src/kernel/config/config';
import { defaultCacheDir } from '../src/startup/embedded/tool-cache';
import { operationsOf } from '../test/attack/operations';
import { type ApiDocument, documentWith, LEFT_OUT } from './attack/deviations';
import { type AttackOptions, loopbackUrl, readOptions } from './attack/options';
import { makeRecords } from './attack/records';
import { type Counted, emptyTally, figures, findingsOf, seen, summary } from './attack/tally';
import { readReport } from './schemathesis/report';
import { checkApi, type Run } from './schemathesis/run';
import { type Credentials, readCredentials } from './support/api';
import { operatorJson } from './support/operator';
import { pythonWith, SCHEMATHESIS } from './support/python';
import { ownTenant } from './support/tenant';

/**
 * `npm run attack` attacks a running `npm start`; see `npm run attack -- --help`. schemathesis sends the requests. The
 * attack gives it a document with deviations, and judges each answer in one hook. Exits with 1 when a finding is
 * unexplained.
 */
async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  const { baseUrl, client, admin } = await credentialsFor(options);
  const served = await servedDocument(baseUrl);
  const context = { environment: process.env, cacheDir: defaultCacheDir(process.env), onProgress: say };
  const python = await pythonWith(SCHEMATHESIS, context);
  const out =
    options.out === undefined ? await mkdtemp(join(tmpdir(), 'cardwright-attack-')) : resolve(options.out);
  await mkdir(out, { recursive: true });

  const document = join(out, 'openapi.json');
  const callers = { client: cardwright({ baseUrl, ...client }), admin: cardwright({ baseUrl, ...admin }) };
  const ids = await makeRecords(callers, client.clientId);
  await writeFile(document, JSON.stringify(documentWith(served, ids), null, 1));
  const { maxExamples, seconds, seed } = options;
  say(`Attack of ${baseUrl} with seed ${seed}; the reports go to ${out}`);
  for (const [operation, why] of Object.entries(LEFT_OUT)) say(`  left out: ${operation}, for ${why}`);
  const run = { python, baseUrl, document, maxExamples, seconds, seed, show: say };
  const findings = [
    ...(await attackAs('client', { ...run, credential: client, report: join(out, 'client.ndjson') })),
    ...(await attackAs('operator', { ...run, credential: admin, report: join(out, 'operator.ndjson') })),
  ];
  await writeFile(join(out, 'findings.json'), JSON.stringify(findings, null, 1));
  for (const line of summary(findings)) say(line);
  return findings.some(({ reason }) => reason === undefined) ? 1 : 0;
}

async function attackAs(name: string, run: Run): Promise<Counted[]> {
  await checkApi(run);
  const tally = emptyTally();
  const ending = await readReport(run.report, (exchange) => seen(tally, exchange));
  const operations = operationsOf(JSON.parse(readFileSync(run.document, 'utf8'))).map((one) => one.name);
  for (const line of figures(name, tally, ending, operations)) say(line);
  if (ending.errors.length > 0 || !ending.finished) throw new Error('The attack did not finish: see above.');
  return findingsOf(tally);
}

/** Creates two tenants for this attack, with all capabilities, unless credentials are given. */
async function credentialsFor({
  baseUrl,
  credentials,
}: AttackOptions): Promise<Pick<Credentials, 'baseUrl' | 'client' | 'admin'>> {
  if (credentials !== undefined) {
    const given = JSON.parse(readFileSync(credentials, 'utf8')) as Credentials;
    return { ...given, baseUrl: loopbackUrl(baseUrl ?? given.baseUrl) };
  }
  const known = loopbackUrl(baseUrl ?? readCredentials(readConfig().dataDir).baseUrl);
  const [client, admin] = [await ownTenant('Attack'), await ownTenant('Attack', 'admin')];
  await operatorJson('iban', 'enable', client.clientId);
  return { baseUrl: known, client, admin };
}

/** @throws Error when no sandbox answers */
async function servedDocument(baseUrl: string): Promise<ApiDocument> {
  const answer = await fetch(`${baseUrl}/openapi.json`).catch(() => undefined);
  if (!answer?.ok)
    throw new Error(`No Cardwright answers at ${baseUrl}: run \`npm start\` in another terminal first.`);
  const document = (await answer.json()) as ApiDocument;
  if (!document.paths['/sandbox/transactions'])
    throw new Error('An attack needs a sandbox; this installation is live.');
  return document;
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
