import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { type AllowList, bodyOf, listOfBody, readAllowList } from '../../chain/signing/allow-list';
import { conflict, invalid, notFound } from '../../kernel/errors';
import { changesOf, changesText } from './allow-list-changes';
import type { DeskClient } from './client';
import { type Console, show } from './console';

/** An operator's key for allow-lists. The private half never leaves his machine. */
export interface SigningKeys {
  /** Makes the key. @returns its file, and the public key in base64 @throws Problem 409 when there is one */
  create(): Promise<{ file: string; publicKey: string }>;
  /** @returns Ed25519, base64 @throws Problem 404 when there is no key */
  sign(text: string): Promise<string>;
  /** Whether the signature is of this key. False when there is no key. */
  hasSigned(text: string, signature: string): Promise<boolean>;
}

interface Context {
  console: Console;
  client: DeskClient;
  json: boolean;
  signingKeys: SigningKeys;
}

const DAYS = 90;
const DAY_MS = 86_400_000;

/** The commands by which operators make and sign allow-lists. All else about them is the desk's catalogue. */
export function addAllowListCommands(group: Command, { console, client, json, signingKeys }: Context): void {
  group
    .command('draft')
    .description('a new list by the configuration, as JSON, and its difference to the list in force')
    .option('--days <days>', 'until it expires', String(DAYS))
    .option('--daily-fees <amount>', 'most gas a day and network, in the native coin', '1')
    .action(async ({ days, dailyFees }: { days: string; dailyFees: string }) => {
      const expiresAt = new Date(Date.now() + Number(days) * DAY_MS).toISOString();
      const inForce = await listInForce(client, signingKeys);
      const drafted = await draft(client, { expiresAt, dailyFees, inForce });
      console.out(JSON.stringify(drafted.list, null, 2));
      // Beside the list, which the caller keeps as a file.
      for (const line of drafted.hints) console.err(line);
    });
  group
    .command('sign')
    .description('signs a list with your key, here, and gives the signature to the desk')
    .argument('[file]', 'the list as JSON')
    .option('--sequence <number>', 'the list of the desk with that sequence, in place of a file')
    .option('--json', 'print { "digest", "sequence", "operator" }')
    .action(async (file: string | undefined, { sequence }: { sequence?: string }) => {
      const list = file === undefined ? await listOfDesk(client, sequence) : await listOfFile(file);
      const inForce = await listInForce(client, signingKeys);
      const changes = changesOf(inForce, list);
      for (const line of [comparedWith(inForce), ...changesText(changes)]) console.err(line);
      assertSourced(changes.added);
      const text = bodyOf(list);
      const asked = { list: JSON.stringify(list), signature: await signingKeys.sign(text) };
      const path = '/decisions/allow-list.submit';
      const body = { subject: 'installation', input: asked };
      const { body: outcome } = await client.post<{ result: object }>(path, body, randomUUID());
      show(console, json, outcome.result, signedText(list));
    });
}

function signedText({ sequence, expiresAt, networks }: AllowList): string {
  const lines = networks.flatMap(
    ({ chain, chainId, dailyFees, dailySums = [], treasuries, tokens, delegates }) => [
      `${chain} (chain id ${chainId}): gas for at most ${dailyFees} a day`,
      ...dailySums.map(({ asset, amount }) => `  at most ${amount} a day of ${asset}`),
      ...treasuries.map((address) => `  treasury ${address}`),
      ...tokens.map((address) => `  token    ${address}`),
      ...delegates.map((address) => `  delegate ${address}`),
    ],
  );
  return [`You have signed the list ${sequence}, which expires at ${expiresAt}:`, ...lines].join('\n');
}

interface Configured {
  chain: string;
  chainId: number;
  role: 'treasury' | 'token' | 'delegate';
  address: string;
  decidedBy: string | null;
  decidedAt: string | null;
  approvalId: string | null;
}

const PLACES = { treasury: 'treasuries', token: 'tokens', delegate: 'delegates' } as const;

interface DraftNetwork {
  chain: string;
  chainId: number;
  dailyFees: string;
  /** Those of the list in force stay. */
  dailySums?: AllowList['networks'][number]['dailySums'];
  treasuries: string[];
  tokens: string[];
  delegates: string[];
  /** Empty: the operator must say where the address comes from. */
  sources: Record<string, string>;
}

/** A list whose sources are still to be filled in, and what people should know of it. */
interface Draft {
  list: Omit<AllowList, 'networks'> & { networks: DraftNetwork[] };
  hints: string[];
}

const rowsOf = async <Row>(
  client: DeskClient,
  name: string,
  query: Record<string, string> = {},
): Promise<Row[]> => (await client.get<{ data: Row[] }>(`/lists/${name}`, { limit: '1000', ...query })).data;

/** The next list by the configuration that the desk shows. The sources of addresses in force stay. */
async function draft(
  client: DeskClient,
  given: { expiresAt: string; dailyFees: string; inForce: AllowList | undefined },
): Promise<Draft> {
  const { expiresAt, dailyFees, inForce } = given;
  const [configured, [seed], [newest]] = await Promise.all([
    rowsOf<Configured>(client, 'allow-list-configured'),
    rowsOf<{ firstAddress: string | null }>(client, 'wallet-seed'),
    rowsOf<{ sequence: number }>(client, 'allow-lists'),
  ]);
  if (!seed?.firstAddress)
    throw conflict('invalid_transition', 'There is no seed yet: start the signing process.');
  const networks = new Map<number, DraftNetwork>();
  for (const { chain, chainId, role, address } of configured) {
    const network = networks.get(chainId) ?? {
      chain,
      chainId,
      dailyFees,
      ...sumsOf(inForce, chainId),
      treasuries: [],
      tokens: [],
      delegates: [],
      sources: {},
    };
    network[PLACES[role]].push(address);
    networks.set(chainId, network);
  }
  const bare = {
    version: 1 as const,
    firstAddress: seed.firstAddress,
    sequence: (newest?.sequence ?? 0) + 1,
    expiresAt,
  };
  const drafted = [...networks.values()];
  const unsourced = drafted.map(({ sources: _, ...network }) => network);
  const list = requireList(JSON.stringify({ ...bare, networks: unsourced }));
  const changes = changesOf(inForce, list);
  for (const network of drafted) network.sources = sourcesOf(network, changes.added, inForce);
  const hints = [
    comparedWith(inForce),
    ...changesText(changes),
    ...changes.added.map(({ chainId, address }) => hintOf(configured, chainId, address)),
  ];
  if (changes.added.length > 0) hints.push(FILL_IN);
  return { list: { ...bare, networks: drafted }, hints };
}

const FILL_IN =
  'Write into "sources" where each new address comes from: who has decided it, with their names, or how the treasury itself has confirmed it. Ask them by a way that does not lead through this installation.';

/** The daily sums of the list in force, so that a new list does not lose a limit unseen. */
function sumsOf(inForce: AllowList | undefined, chainId: number): Pick<DraftNetwork, 'dailySums'> {
  const dailySums = inForce?.networks.find((each) => each.chainId === chainId)?.dailySums;
  return dailySums ? { dailySums } : {};
}

/** The sources of a network: empty for each new address, and those of the list in force for the others. */
function sourcesOf(
  { chainId, treasuries, tokens, delegates }: DraftNetwork,
  added: readonly { chainId: number; address: string }[],
  inForce: AllowList | undefined,
): Record<string, string> {
  const known = inForce?.networks.find((each) => each.chainId === chainId)?.sources ?? {};
  const isNew = (address: string) =>
    added.some((each) => each.chainId === chainId && each.address === address);
  return Object.fromEntries(
    [...new Set([...treasuries, ...tokens, ...delegates])].flatMap((address) => {
      if (isNew(address)) return [[address, '']];
      return known[address] === undefined ? [] : [[address, known[address]]];
    }),
  );
}

/** The database's word on a new address. The word proves nothing, and names whom to ask. */
function hintOf(configured: readonly Configured[], chainId: number, address: string): string {
  const found = configured.find((each) => each.chainId === chainId && each.address === address);
  if (!found?.decidedBy) return `  ${address}: the database names no decision of operators.`;
  const { decidedBy, decidedAt, approvalId } = found;
  return `  ${address}: by the database decided by ${decidedBy} at ${decidedAt} (${approvalId}). Ask them.`;
}

/** The list in force, where this operator has signed it with his own key. The desk alone proves nothing. */
async function listInForce(client: DeskClient, keys: SigningKeys): Promise<AllowList | undefined> {
  const rows = await rowsOf<{ list: string; verdict: string | null; signatures: string }>(
    client,
    'allow-list-texts',
  );
  const found = rows.find(({ verdict }) => verdict === 'in force');
  const read = found && readAllowList(found.list);
  if (!read || !('list' in read)) return undefined;
  const text = bodyOf(read.list);
  for (const signature of found.signatures.split(' '))
    if (await keys.hasSigned(text, signature)) return listOfBody(text);
  return undefined;
}

const comparedWith = (inForce: AllowList | undefined): string =>
  inForce
    ? `Compared with the list ${inForce.sequence}, which is in force and which you have signed:`
    : 'No list that you have signed is in force, so every address is new to you:';

/** @throws Problem 400 naming the new addresses without a source */
function assertSourced(added: readonly { address: string; source: string | undefined }[]): void {
  const missing = added.filter(({ source }) => source === undefined).map(({ address }) => address);
  if (missing.length > 0)
    throw invalid(`sources must say where each new address comes from: ${missing.join(', ')}.`, 'list');
}

const listOfFile = async (file: string): Promise<AllowList> =>
  requireList(
    await readFile(file, 'utf8').catch(() => {
      throw invalid(`${file} cannot be read.`, 'file');
    }),
  );

async function listOfDesk(client: DeskClient, sequence: string | undefined): Promise<AllowList> {
  if (sequence === undefined) throw invalid('Name a file, or --sequence.', 'file');
  const [found, another] = await rowsOf<{ list: string }>(client, 'allow-list-texts', { sequence });
  if (!found) throw notFound(`a list with the sequence ${sequence}`);
  if (another)
    throw conflict('invalid_transition', `Several lists have the sequence ${sequence}: name a file.`);
  return requireList(found.list);
}

/** @throws Problem 400 naming each fault */
function requireList(text: string): AllowList {
  const read = readAllowList(text);
  if ('list' in read) return read.list;
  throw invalid(`The list is not valid: ${read.wrong.join('; ')}.`, 'list');
}
