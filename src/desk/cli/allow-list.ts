import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { type AllowList, bodyOf, readAllowList } from '../../chain/signing/allow-list';
import { conflict, invalid, notFound } from '../../kernel/errors';
import type { DeskClient } from './client';
import { type Console, show } from './console';

/** An operator's key for allow-lists. The private half never leaves his machine. */
export interface SigningKeys {
  /** Makes the key. @returns its file, and the public key in base64 @throws Problem 409 when there is one */
  create(): Promise<{ file: string; publicKey: string }>;
  /** @returns Ed25519, base64 @throws Problem 404 when there is no key */
  sign(text: string): Promise<string>;
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
    .description('a new list by the configuration, as JSON; compare each address with your own records')
    .option('--days <days>', 'until it expires', String(DAYS))
    .option('--daily-fees <amount>', 'most gas a day and network, in the native coin', '1')
    .action(async ({ days, dailyFees }: { days: string; dailyFees: string }) => {
      const expiresAt = new Date(Date.now() + Number(days) * DAY_MS).toISOString();
      console.out(JSON.stringify(await draft(client, { expiresAt, dailyFees }), null, 2));
    });
  group
    .command('sign')
    .description('signs a list with your key, here, and gives the signature to the desk')
    .argument('[file]', 'the list as JSON')
    .option('--sequence <number>', 'the list of the desk with that sequence, in place of a file')
    .option('--json', 'print { "digest", "sequence", "operator" }')
    .action(async (file: string | undefined, { sequence }: { sequence?: string }) => {
      const list = file === undefined ? await listOfDesk(client, sequence) : await listOfFile(file);
      const text = bodyOf(list);
      const asked = { list: JSON.stringify(list), signature: await signingKeys.sign(text) };
      const path = '/decisions/allow-list.submit';
      const body = { subject: 'installation', input: asked };
      const { body: outcome } = await client.post<{ result: object }>(path, body, randomUUID());
      show(console, json, outcome.result, signedText(list));
    });
}

function signedText({ sequence, expiresAt, networks }: AllowList): string {
  const lines = networks.flatMap(({ chain, chainId, dailyFees, treasuries, tokens, delegates }) => [
    `${chain} (chain id ${chainId}): gas for at most ${dailyFees} a day`,
    ...treasuries.map((address) => `  treasury ${address}`),
    ...tokens.map((address) => `  token    ${address}`),
    ...delegates.map((address) => `  delegate ${address}`),
  ]);
  return [`You have signed the list ${sequence}, which expires at ${expiresAt}:`, ...lines].join('\n');
}

interface Configured {
  chain: string;
  chainId: number;
  role: 'treasury' | 'token' | 'delegate';
  address: string;
}

const PLACES = { treasury: 'treasuries', token: 'tokens', delegate: 'delegates' } as const;

/** The next list by the configuration that the desk shows. */
async function draft(
  client: DeskClient,
  { expiresAt, dailyFees }: Pick<AllowList, 'expiresAt'> & { dailyFees: string },
): Promise<AllowList> {
  const rows = async <Row>(name: string): Promise<Row[]> =>
    (await client.get<{ data: Row[] }>(`/lists/${name}`, { limit: '1000' })).data;
  const [configured, [seed], [newest]] = await Promise.all([
    rows<Configured>('allow-list-configured'),
    rows<{ firstAddress: string | null }>('wallet-seed'),
    rows<{ sequence: number }>('allow-lists'),
  ]);
  if (!seed?.firstAddress)
    throw conflict('invalid_transition', 'There is no seed yet: start the signing process.');
  const networks = new Map<number, AllowList['networks'][number]>();
  for (const { chain, chainId, role, address } of configured) {
    const network = networks.get(chainId) ?? {
      chain,
      chainId,
      dailyFees,
      treasuries: [],
      tokens: [],
      delegates: [],
    };
    network[PLACES[role]].push(address);
    networks.set(chainId, network);
  }
  return requireList(
    JSON.stringify({
      version: 1,
      firstAddress: seed.firstAddress,
      sequence: (newest?.sequence ?? 0) + 1,
      expiresAt,
      networks: [...networks.values()],
    }),
  );
}

const listOfFile = async (file: string): Promise<AllowList> =>
  requireList(
    await readFile(file, 'utf8').catch(() => {
      throw invalid(`${file} cannot be read.`, 'file');
    }),
  );

async function listOfDesk(client: DeskClient, sequence: string | undefined): Promise<AllowList> {
  if (sequence === undefined) throw invalid('Name a file, or --sequence.', 'file');
  const { data } = await client.get<{ data: { list: string }[] }>('/lists/allow-list-texts', { sequence });
  const [found, another] = data;
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
