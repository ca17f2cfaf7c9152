/** @long */
import { encodeFunctionData, erc20Abi, getAddress } from 'viem';
import { bodyOf } from '../../../src/chain/signing/allow-list';
import { answerOpen } from '../../../src/chain/signing/serve';
import { auditOf } from '../../../src/kernel/audit/audit';
import { KEY_PURPOSES, type SealingPurpose } from '../../../src/kernel/security/purposes';
import { erc20Transfer } from '../../../src/parties/chain/evm/calls';
import type { UnsignedTransaction } from '../../../src/parties/chain/port';
import { publicKeysOf } from '../../../src/parties/signer/derivation';
import { digestOf, keepRequest, type SigningRequest, takeAnswer } from '../../../src/parties/signer/requests';
import { listBreaks } from '../../../src/process/breaks/operations';
import { deployDelegate, GATHERED_MS } from '../gas-station/strategies/delegated-station';
import {
  looksAgain,
  type SigningWorld,
  signatureOf,
  signingOperator,
  signingWorld,
  storeList,
} from './support';

/** What a thief would be paid at. */
const THIEF = getAddress(`0x${'bad'.repeat(13)}b`);

describe('wallets under a signed list', () => {
  let world: SigningWorld;
  beforeAll(async () => {
    world = await signingWorld();
    await deployDelegate(world.chain, world);
    await world.allow();
    world.serve();
  }, 60_000);
  afterAll(() => world.close());

  const done = async ({ id }: { id: string }) =>
    expect(await world.lead(id)).toMatchObject({ status: 'completed', open: false });

  it('are topped up, and swept by both strategies', async () => {
    const [first, second, third] = await world.wallets(3, 5_000_000n);
    await done(await world.topup(first!.id));
    await done(await world.sweep(first!.id));
    await world.configure({ sweepStrategy: 'delegated' });
    const sweeps = [await world.sweep(second!.id), await world.sweep(third!.id)];
    world.later(GATHERED_MS); // both share a transaction
    for (const sweep of sweeps) await world.advance(sweep.id);
    for (const sweep of sweeps) await done(sweep);
    expect(await world.tokens(world.treasury)).toBe(15_000_000n);
    await world.configure({ sweepStrategy: 'transfer' });
    expect(await world.db.database.query('select digest from signing_requests')).toEqual([]);
  }, 60_000);

  it('wait without a signing process, and go on when there is one', async () => {
    const [wallet] = await world.wallets(1, 5_000_000n, '0.05');
    await world.stopServing();
    const { id } = await world.sweep(wallet!.id);
    await world.advance(id);
    expect(await world.read(id)).toMatchObject({ status: 'pending', waitsFor: 'signer' });
    world.serve();
    await done({ id });
  }, 60_000);

  it('wait where the list does not admit their transaction, and go on under a list that does', async () => {
    const [wallet] = await world.wallets(1, 5_000_000n, '0.05');
    const { networks } = await world.draft();
    await world.allow({ networks: networks.map((each) => ({ ...each, treasuries: [] })) });
    const { id } = await world.sweep(wallet!.id);
    await world.advance(id);
    expect(await world.read(id)).toMatchObject({ status: 'pending', waitsFor: 'not_allowed' });
    await world.allow();
    await done({ id });
  }, 60_000);
});

describe('a thief with the database, the master keys and a shell on the worker', () => {
  let world: SigningWorld;
  let station: { index: number; address: string };
  beforeAll(async () => {
    world = await signingWorld();
    await world.allow();
    station = await indexOf(world, world.station);
  }, 60_000);
  afterAll(() => world.close());

  /** Writes a request directly, and lets the signing process answer. */
  async function asked(request: SigningRequest) {
    await keepRequest(world.db.database, request);
    await answerOpen(world.serving);
    return takeAnswer(world.db.database, digestOf(request));
  }

  const transaction = (given: Partial<UnsignedTransaction>): SigningRequest => ({
    kind: 'transaction',
    index: station.index,
    transaction: {
      chainId: world.chain.chainId,
      nonce: 0,
      from: station.address,
      to: THIEF,
      value: 0n,
      data: '0x',
      gas: 100_000n,
      maxFeePerGas: 2_000_000_000n,
      maxPriorityFeePerGas: 1n,
      ...given,
    },
  });
  const refused = { refused: expect.any(String) };
  const approval = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [THIEF, 10n ** 30n] });

  it('gets nothing signed that pays him, by any request of his', async () => {
    const authorization = { chainId: world.chain.chainId, contract: THIEF, nonce: 0 };
    const requests: SigningRequest[] = [
      transaction({ value: 10n ** 18n }),
      transaction({ to: world.token, data: erc20Transfer(THIEF, 1n) }),
      transaction({ to: world.token, data: approval }),
      transaction({ to: world.treasury, value: 1n, chainId: 1 }),
      // Pays a miner whom he knows.
      transaction({
        to: world.treasury,
        value: 1n,
        maxFeePerGas: 10n ** 15n,
        maxPriorityFeePerGas: 10n ** 15n,
      }),
      { kind: 'authorization', index: station.index, authorization },
    ];
    for (const request of requests) expect(await asked(request)).toEqual(refused);
    expect(await asked(transaction({ to: world.treasury, value: 1n }))).toEqual({
      signed: expect.anything(),
    });
    const breaks = await listBreaks(world.db.database, { kind: 'signing_refused', limit: 50 });
    expect(breaks.map(({ subject }) => subject)).toContain(`address:${station.address}`);
    const lines = await auditOf(world.db.database, `address:${station.address}`, 50);
    expect(lines.map(({ action, actor }) => [action, actor])).toContainEqual(['signing.refuse', 'signer']);
  });

  it('gets no answer to a request that is not one, and does not stop the others', async () => {
    const { database } = world.db;
    const insert = 'insert into signing_requests (digest, request, asked_at) values ($1, $2, now())';
    await database.query(insert, ['a', JSON.stringify({ kind: 'transaction', index: 0, transaction: {} })]);
    await database.query(insert, ['b', '"text"']);
    expect(await asked(transaction({ to: world.treasury, value: 2n }))).toEqual({
      signed: expect.anything(),
    });
    const [row] = await database.query<{ answer: unknown }>(
      "select answer from signing_requests where digest = 'a'",
    );
    expect(row?.answer).toEqual({ refused: 'It is not readable.' });
  });

  it('cannot make his address an own wallet by rows', async () => {
    const { database, keyring } = { ...world, database: world.db.database };
    await database.query(
      `insert into wallets (id, chain, kind, address, derivation_index, purpose, status, created_at, updated_at)
       select overlay(id placing 'zzzz' from length(id) - 3), chain, kind, $1, 9999, 'pool', 'available', created_at, updated_at
         from wallets limit 1`,
      [THIEF],
    );
    expect(await asked(transaction({ value: 1n }))).toEqual(refused);
    // His own extended public key in place of ours: the signing process asks the seed.
    const his = Buffer.from(JSON.stringify(await publicKeysOf(Buffer.alloc(32, 1))));
    const sealed = keyring.sealer('wallet-public-keys').seal(his, 'main');
    const before = await database.query<{ public_keys: Buffer }>('select public_keys from wallet_seeds');
    await database.query('update wallet_seeds set public_keys = $1', [sealed]);
    expect(await asked(transaction({ value: 1n }))).toEqual(refused);
    expect(await asked(transaction({ to: world.treasury, value: 3n }))).toEqual({
      signed: expect.anything(),
    });
    await expect(world.serving.check()).rejects.toThrow('not those of the wallets');
    await database.query('update wallet_seeds set public_keys = $1', [before[0]?.public_keys]);
    await database.query('delete from wallets where address = $1', [THIEF]);
  });

  it('cannot send a sweep to himself by the rows of the configuration and the attempt', async () => {
    const { database } = world.db;
    const [wallet] = await world.wallets(1, 5_000_000n, '0.05');
    world.serve();
    await database.query('update gas_configs set treasury_address = $1', [THIEF]);
    const { id } = await world.sweep(wallet!.id);
    await world.advance(id);
    expect(await world.read(id)).toMatchObject({ status: 'pending', waitsFor: 'not_allowed' });
    await world.stopServing();
    expect([await world.tokens(THIEF), await world.tokens(wallet!.address)]).toEqual([0n, 5_000_000n]);
    await database.query('update gas_configs set treasury_address = $1', [world.treasury]);
  }, 30_000);

  it.each<[string, (body: string) => { operator: string; signature: string }[]]>([
    ['one operator', (body) => [signatureOf(world.ida, body)]],
    [
      "one operator under two operators' names",
      (body) => [signatureOf(world.ida, body), { ...signatureOf(world.ida, body), operator: 'bob' }],
    ],
    ['keys of his own', (body) => ['ida', 'bob'].map((name) => signatureOf(signingOperator(name), body))],
  ])('is not admitted by a list under %s', async (_, signatures) => {
    const list = await withThief();
    const body = bodyOf(list);
    await storeList(world.db.database, body, list.sequence, signatures(body));
    await looksAgain();
    expect(await asked(transaction({ value: 1n }))).toEqual(refused);
    expect(await asked(transaction({ to: world.treasury, value: 4n }))).toEqual({
      signed: expect.anything(),
    });
  });

  it('is not admitted by a list that was true once, even when he deletes the newer one', async () => {
    const { database } = world.db;
    const old = await withThief();
    const body = bodyOf(old);
    await world.allow();
    const signatures = [world.ida, world.bob].map((each) => signatureOf(each, body));
    await storeList(database, body, old.sequence, signatures);
    expect(await asked(transaction({ value: 1n }))).toEqual(refused);
    await database.query(
      'delete from allow_list_signatures where digest in (select digest from allow_lists where sequence > $1)',
      [old.sequence],
    );
    await database.query('delete from allow_lists where sequence > $1', [old.sequence]);
    await looksAgain();
    expect(await asked(transaction({ value: 1n }))).toEqual({
      refused: expect.stringContaining('is not in force any more'),
    });
    await world.allow();
    expect(await asked(transaction({ to: world.treasury, value: 5n }))).toEqual({
      signed: expect.anything(),
    });
  }, 15_000);

  it('has no key that opens the seed', async () => {
    const [row] = await world.db.database.query<{ sealed: Buffer }>('select sealed from wallet_seeds');
    const opens = (purpose: SealingPurpose, context: string) => {
      try {
        return world.keyring.sealer(purpose).open(row!.sealed, context);
      } catch {
        return undefined;
      }
    };
    for (const purpose of KEY_PURPOSES)
      for (const context of ['main', 'installation-key/wallet-seeds/main'])
        expect(opens(purpose as SealingPurpose, context)).toBeUndefined();
  });

  /** The next list, with the thief as a treasury. */
  async function withThief() {
    const list = await world.draft();
    return { ...list, networks: list.networks.map((each) => ({ ...each, treasuries: [THIEF] })) };
  }
});

async function indexOf(world: SigningWorld, address: string) {
  const [row] = await world.db.database.query<{ index: number }>(
    'select derivation_index as index from wallets where address = $1',
    [address],
  );
  return { index: row?.index ?? -1, address };
}
