import { raw, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { sample } from '../../kernel/metrics/definitions';
import type { Reading } from '../../kernel/metrics/readings';
import { listOfBody, networksOf } from './allow-list';
import type { AllowedNetwork } from './rules';
import { IN_FORCE, newestLists } from './store';

const NO_SUMS: NonNullable<AllowedNetwork['dailySums']> = new Map();

/** Lists among which the one in force is looked for. */
const LISTS = 20;

/**
 * Reads the used share of each day's sum. The signing process listens nowhere, so other processes read its rows. The
 * limits are those of the list that the signing process calls in force, without raises.
 */
export const signingReading = (now: () => Date): Reading => ({
  name: 'signing',
  gauges: ['signing_sum_share'],
  read: async (sql) =>
    (await shares(sql, now())).map(({ chain, asset, share }) =>
      sample('signing_sum_share', { chain, asset }, share),
    ),
});

async function shares(sql: Sql, at: Date): Promise<{ chain: string; asset: string; share: number }[]> {
  const inForce = (await newestLists(sql, LISTS)).find(({ verdict }) => verdict === IN_FORCE);
  const list = inForce && listOfBody(inForce.body);
  if (!list) return [];
  const sums = await sumsOf(sql, at.toISOString().slice(0, 10));
  return networksOf(list).flatMap(({ chain, chainId, dailyFees, dailySums = NO_SUMS }) =>
    [['gas', dailyFees] as const, ...[...dailySums].map(([asset, { units }]) => [asset, units] as const)]
      .filter(([, most]) => most !== null && most > 0n)
      .map(([asset, most]) => ({
        chain,
        asset,
        share: Number(sums.get(`${chainId}/${asset}`) ?? 0) / Number(most),
      })),
  );
}

/** The sums of a UTC day, by chain id and asset. */
async function sumsOf(sql: Sql, day: string): Promise<Map<string, string>> {
  const rows = await sql.run<{ chainId: string; asset: string; units: string }>(
    table('signing_sums').select('chainId', 'asset', raw('units::text as units')).where({ day }),
  );
  return new Map(rows.map(({ chainId, asset, units }) => [`${chainId}/${asset}`, units]));
}
