import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../../../src/kernel/db/database';
import type { Fleet } from '../../support/product';
import { until } from '../../support/until';
import { sweptByItself, total } from './life';
import { CHAIN, type ChainWorld } from './world';

/** Invariants of the chain once all work has ended, whatever was killed. */

/**
 * Expects that each payment was credited once and that the treasury has all of the money. Nothing is left on wallets,
 * and nothing moved twice.
 */
export async function expectAllSwept(world: ChainWorld, database: Database): Promise<void> {
  const { payer, paid, treasury } = world;
  await Promise.all(paid.map(({ wallet }) => sweptByItself(world, wallet)));
  const deposits = await database.query<{ hash: string; units: string; status: string }>(
    `select terms->>'txHash' as hash, terms->>'units' as units, status from transfers where kind = 'chain_deposit'`,
  );
  const asPaid = paid.map(({ hash, units }) => ({ hash, units: units.toString(), status: 'credited' }));
  assert.deepEqual(byHash(deposits), byHash(asPaid));
  for (const { wallet } of paid) assert.equal(await payer.usdtOf(wallet), 0n, wallet);
  assert.equal(await payer.usdtOf(treasury), total(paid));
}

const byHash = <Row extends { hash: string }>(rows: Row[]): Row[] =>
  rows.sort((one, other) => (one.hash < other.hash ? -1 : 1));

/** Expects that every wallet is in its cooldown, and that allocations with an expiry have expired. */
export async function expectWalletsRest(database: Database): Promise<void> {
  const ended = await database.query<{ isAsMeant: boolean; hadEnd: boolean }>(
    `select a.*, w.status, a.expires_at is not null as "hadEnd",
            w.status = 'quarantined' and coalesce(a.expires_at <= a.ended_at, true) as "isAsMeant"
       from wallet_allocations a join wallets w on w.id = a.wallet_id`,
  );
  assert.deepEqual(
    ended.filter(({ isAsMeant }) => !isAsMeant),
    [],
  );
  assert.deepEqual(new Set(ended.map(({ hadEnd }) => hadEnd)), new Set([true, false]));
}

/** Expects that every address of ours has sent the transactions of the books, one for each nonce, without a gap. */
export async function expectContiguousNonces({ payer }: ChainWorld, database: Database): Promise<void> {
  const rows = await database.query<{ address: string; nonces: number[] }>(
    `select address, array_agg(distinct nonce::int order by nonce::int) as nonces
       from chain_nonces where settled_at is not null group by address`,
  );
  assert.ok(rows.length > 1, 'no nonces');
  for (const { address, nonces } of rows) {
    const count = await payer.sentBy(address);
    const sent = Array.from({ length: count }, (_, nonce) => nonce);
    assert.deepEqual([address, nonces], [address, sent]);
  }
}

/**
 * Expects that pool, station and treasury have on the chain what the books have, gas included. A killed node loses
 * final blocks, and a transaction then comes into another block for another fee. The next reading books that fee.
 */
export async function expectReconciled({ readNow }: ChainWorld, fleet: Fleet): Promise<void> {
  const compare = async () => {
    await readNow();
    const { code, out } = await fleet.operator('chain', 'reconcile', '--chain', CHAIN, '--json');
    const lines = JSON.parse(out) as { place: string; asset: string; known: string; difference: string }[];
    const places = lines.map(({ place }) => place);
    for (const place of ['pool', 'station', 'treasury']) assert.ok(places.includes(place), out);
    const left = lines.filter(({ known, difference }) => !isDeepStrictEqual([known, difference], ['0', '0']));
    return { code, left };
  };
  const isReconciled = async () => isDeepStrictEqual(await compare(), { code: 0, left: [] });
  await until(isReconciled).catch(async () => assert.deepEqual(await compare(), { code: 0, left: [] }));
}
