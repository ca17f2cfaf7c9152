/** @long @isolated starts the whole product. */
import { randomBytes } from 'node:crypto';
import { HDKey } from '@scure/bip32';
import { mnemonicToEntropy, mnemonicToSeedSync } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { createDatabase, type Database } from '../../../src/kernel/db/database';
import { type HashingPurpose, KEY_PURPOSES, type KeyPurpose } from '../../../src/kernel/security/purposes';
import { type NodeDouble, nodeDouble } from '../../chain/gas-station/operations/nodes/node-double';
import { killAll } from '../../startup/process';
import { keyringIn } from '../../support/keyring';
import { type Fleet, startFleet } from '../../support/product';
import { until } from '../../support/until';
import { liveOnChain } from '../chain/life';
import { CHAIN, type ChainWorld, openChainWorld } from '../chain/world';
import { isProperlyAway } from '../persistent';
import { foundIn, type Secrets } from './forms';
import { dumpOf, historiesOf, logsOf, temporalStoreOf } from './written';

/**
 * Plays everything that opens a key or uses the address of a node: deposits, sweeps signed by the service and by a
 * person, refused broadcasts, an unreachable node, and refused networks. Then checks that the product has written no
 * secret anywhere.
 */

const LIFE_MS = 300_000;
const random = () => randomBytes(16).toString('hex');
/** Credentials in the nodes' addresses. The last ones are of refused addresses. */
const credentials = {
  'in the path': `p${random()}`,
  'in the query': `q${random()}`,
  'as a password': `w${random()}`,
  'of a node that is not there': `g${random()}`,
  'of no web address': `n${random()}`,
};

let fleet: Fleet;
let double: NodeDouble;
let database: Database;
let world: ChainWorld;
let secrets: Secrets;
/** All answers of the product, including reads and the command line. */
const answers: string[] = [];
/** The product's metrics, which anybody can read without a credential. */
const metrics: string[] = [];

beforeAll(async () => {
  fleet = await startFleet({ LOG_LEVEL: 'trace' });
  database = createDatabase({ url: fleet.databaseUrl, poolSize: 1, name: 'test' });
  double = await nodeDouble(() => fleet.chain.url);
  world = await openChainWorld(fleet, await fleet.newTenant(), [
    `${double.url}/v3/${credentials['in the path']}`,
    `${double.url}/?apikey=${credentials['in the query']}`,
    `${double.url.replace('//', `//user:${credentials['as a password']}@`)}/`,
  ]);
  for (const each of [world.client, world.admin]) each.onAnswer = (text) => answers.push(text);
  await liveOnChain(world, 'undisturbed');
  double.next('eth_sendRawTransaction', 'refused', 5);
  await liveOnChain(world, 'refused');
  await beAway();
  await beRefused();
  await beRead();
  secrets = await secretsOf();
}, LIFE_MS);

afterAll(async () => {
  await world?.close();
  await double?.close();
  await database?.close();
  await fleet?.close();
  killAll();
});

/** Makes the node unreachable until the chain's watcher reports it and a request has seen it. */
async function beAway(): Promise<void> {
  double.away(true);
  const before = fleet.worker.text().length;
  await until(async () => fleet.worker.text().slice(before).includes('the chain cannot be read'));
  const [payment] = world.paid;
  const claim = { chain: CHAIN, address: payment?.wallet, txHash: `0x${'0'.repeat(64)}` }; // a known hash would need no node
  const away = await world.client.once('POST', '/v1/wallets/deposit', claim);
  expect([isProperlyAway(away), away.text]).toEqual([true, expect.any(String)]);
  const reconciled = await fleet.operator('chain', 'reconcile', '--chain', CHAIN);
  expect(reconciled.code).not.toBe(0);
  answers.push(reconciled.out);
  double.away(false);
}

/** Tries networks whose nodes cannot be reached or have invalid addresses, and a seed that comes too late. */
async function beRefused(): Promise<void> {
  const path = `/v1/networks/${CHAIN}`;
  const read = await world.admin.get(path);
  for (const url of [
    `http://127.0.0.1:1/v3/${credentials['of a node that is not there']}`,
    `ftp://user:${credentials['of no web address']}@127.0.0.1/`,
  ]) {
    const { status, text } = await world.admin.once('PUT', path, { ...read, rpcUrls: [url] });
    expect([status >= 400, text]).toEqual([true, expect.any(String)]);
  }
  const late = await fleet.operatorReading(world.mnemonic, 'wallet-seed', 'import');
  expect(late.code).not.toBe(0);
  answers.push(late.out, (await fleet.operator('wallet-seed', 'status')).out);
}

/** Reads everything about chains as an admin and as a client, and the metrics. */
async function beRead(): Promise<void> {
  const [sweep, topup] = [await newest('sweep'), await newest('topup')];
  const named: Record<string, string> = {
    chain: CHAIN,
    address: world.paid[0]?.wallet ?? '',
    walletId: sweep.walletId,
  };
  const { paths } = await world.admin.get('/openapi.json');
  const reads = Object.keys(paths).filter((path) => ON_CHAINS.test(path) && 'get' in paths[path]);
  expect(reads.length).toBeGreaterThan(12);
  for (const path of reads)
    for (const { id } of path.includes('{id}') ? [sweep, topup] : [{ id: '' }]) {
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => named[name] ?? id);
      for (const each of [world.admin, world.client]) await each.once('GET', `${filled}?chain=${CHAIN}`);
    }
  for (const { text } of [fleet.api, fleet.worker]) {
    const [, port] = [...text().matchAll(/"metricsPort":(\d+)/g)].at(-1) ?? [];
    metrics.push(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
  }
}

const ON_CHAINS = /^\/v1\/(wallets|networks|gas-station)\b/;

/** The installation's keys. */
async function openedKeys(): Promise<Secrets> {
  const keyring = await keyringIn(database, fleet.masterKey);
  const keyOf = (purpose: KeyPurpose) => keyring.secretFor(purpose as HashingPurpose);
  return Object.fromEntries(KEY_PURPOSES.map((purpose) => [`the key of ${purpose}`, keyOf(purpose)]));
}

async function secretsOf(): Promise<Secrets> {
  const { mnemonic } = world;
  const seed = Buffer.from(mnemonicToSeedSync(mnemonic));
  const branch = HDKey.fromMasterSeed(seed).derive("m/44'/60'/0'/0");
  const wallets = await database.query<{ index: number }>('select derivation_index as index from wallets');
  expect(wallets.length).toBeGreaterThan(5);
  const keys = wallets.map(({ index }) => [
    `the key of wallet ${index}`,
    Buffer.from(branch.deriveChild(index).privateKey ?? []),
  ]);
  return {
    mnemonic,
    seed,
    entropy: Buffer.from(mnemonicToEntropy(mnemonic, wordlist)),
    'the key of all wallets': branch.privateExtendedKey ?? '',
    ...Object.fromEntries(keys),
    'the master key': fleet.masterKey,
    'the extended public key': branch.publicExtendedKey ?? '',
    ...(await openedKeys()),
    ...credentials,
  };
}

it('has used every secret', async () => {
  const places = double.askedAt().join('\n');
  expect(places).toContain(credentials['in the path']);
  expect(places).toContain(credentials['in the query']);
  expect(places).toContain(Buffer.from(`user:${credentials['as a password']}`).toString('base64'));
  const [signed] = await database.query<{ count: number }>(
    `select count(*)::int as count from chain_nonces where raw is not null`,
  );
  expect(signed?.count).toBeGreaterThan(3);
});

it('finds a secret in every form', () => {
  for (const [name, secret] of Object.entries(secrets)) {
    const bytes = Buffer.from(secret);
    const beside = (before: number) => Buffer.concat([Buffer.alloc(before, 'x'), bytes, Buffer.from('yz')]);
    for (const written of [
      bytes.toString('hex').toUpperCase(),
      `"0x${bytes.toString('hex')}"`,
      JSON.stringify(bytes),
      ...[0, 1, 2].flatMap((before) => [
        beside(before).toString('base64'),
        beside(before).toString('base64url'),
      ]),
    ])
      expect([name, written, foundIn(`so: ${written}.`, secrets)]).toEqual([
        name,
        written,
        expect.arrayContaining([name]),
      ]);
  }
});

it.each([
  ['the database', () => dumpOf(database), () => world.paid[0]?.wallet],
  ['the logs', async () => logsOf(fleet), () => 'the chain cannot be read'],
  // In quotes, as in a payload.
  ['the histories', () => historiesOf(fleet), async () => `"${(await newest('sweep')).id}"`],
  ["Temporal's store", async () => temporalStoreOf(fleet), async () => (await newest('sweep')).id],
  ['the answers', async () => toldToAnybody(), () => world.paid[0]?.wallet],
  ['the answers to what is exported', async () => toldToAnybody(), () => 'maxPriorityFeePerGas'],
  ['what is measured', async () => metrics.join('\n'), () => 'chain_head_timestamp_seconds'],
])('tells none of it in %s', async (_, written, known) => {
  const text = await written();
  expect(foundIn(text, { known: (await known()) ?? '' })).toEqual(['known']);
  expect(foundIn(text, secrets)).toEqual([]);
});

const newest = async (type: 'sweep' | 'topup') =>
  (await world.admin.get(`/v1/gas-station/operations/history?chain=${CHAIN}&type=${type}`)).data[0];

const toldToAnybody = (): string =>
  [
    ...answers,
    ...[world.client, world.admin].flatMap(({ settled }) => settled.map(({ answer }) => answer.text)),
  ].join('\n');
