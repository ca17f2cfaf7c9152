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
  expect(byHash(deposits)).toEqual(byHash(asPaid));
  for (const { wallet } of paid) expect([wallet, await payer.usdtOf(wallet)]).toEqual([wallet, 0n]);
  expect(await payer.usdtOf(treasury)).toBe(total(paid));
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
  expect(ended.filter(({ isAsMeant }) => !isAsMeant)).toEqual([]);
  expect(new Set(ended.map(({ hadEnd }) => hadEnd))).toEqual(new Set([true, false]));
}

/** Expects that every address of ours has sent the transactions of the books, one for each nonce, without a gap. */
export async function expectContiguousNonces({ payer }: ChainWorld, database: Database): Promise<void> {
  const rows = await database.query<{ address: string; nonces: number[] }>(
    `select address, array_agg(distinct nonce::int order by nonce::int) as nonces
       from chain_nonces where settled_at is not null group by address`,
  );
  expect(rows.length).toBeGreaterThan(1);
  for (const { address, nonces } of rows) {
    const count = await payer.sentBy(address);
    expect([address, nonces]).toEqual([address, Array.from({ length: count }, (_, nonce) => nonce)]);
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
    expect(lines.map(({ place }) => place)).toEqual(expect.arrayContaining(['pool', 'station', 'treasury']));
    const left = lines.filter(({ known, difference }) => !isDeepStrictEqual([known, difference], ['0', '0']));
    return { code, left };
  };
  const isReconciled = async () => isDeepStrictEqual(await compare(), { code: 0, left: [] });
  await until(isReconciled).catch(async () => expect(await compare()).toEqual({ code: 0, left: [] }));
}
