import type { Database, Sql } from '../../kernel/db/database';
import { Decimal } from '../../kernel/money/money';
import type { Keyring } from '../../kernel/security/keyring';
import type { UnsignedTransaction } from '../../parties/chain/port';
import { type Approval, approvedAbout, assertSealed } from '../../process/approvals/operations';
import { fromUnits, toUnits } from '../networks/rules';
import { type Outflow, outflowOf } from './outflow';
import { RAISE, type Raise, raiseInput } from './raise';
import type { AllowedNetwork, OwnFacts } from './rules';

/** Name of fees in the counted sums. */
const GAS = 'gas';

export interface SumsOptions {
  database: Database;
  keyring: Keyring;
  /** The machine's time. */
  now: () => Date;
}

export interface SigningSums {
  /**
   * Counts a transaction if the day's sums hold it. A repeat, and another attempt under the same nonce, count once.
   * @returns a sentence why it is refused, and then counts nothing
   */
  take(network: AllowedNetwork, asked: UnsignedTransaction, own: OwnFacts): Promise<string | undefined>;
}

/** A line of a day's sums, with its limit. Null: no limit. */
interface Line extends Outflow {
  most: bigint | null;
}

/**
 * Counts what signed transactions take out of own wallets in a UTC day, by network and asset. The sums are in Postgres
 * and only its function `count_signing` raises them, under the lock of a row. So neither a restart nor a second signing
 * process starts a sum anew, and no other process lowers one.
 */
export function createSums(options: SumsOptions): SigningSums {
  const { database, now } = options;
  return {
    async take(network, asked, own) {
      const day = now().toISOString().slice(0, 10);
      const lines = linesOf(network, asked, own);
      const above = await countAll(database, network, asked, day, lines);
      if (!above) return undefined;
      const raised = await raisedBy(options, network, above.asset, day);
      if (raised > 0n) {
        const again = lines.map((line) =>
          line.asset === above.asset && line.most !== null ? { ...line, most: line.most + raised } : line,
        );
        if (!(await countAll(database, network, asked, day, again))) return undefined;
      }
      return `The day's sum of ${above.asset} on ${network.chain} does not hold it. Two operators may raise it (${RAISE}).`;
    },
  };
}

function linesOf(
  { dailyFees, dailySums }: AllowedNetwork,
  asked: UnsignedTransaction,
  own: OwnFacts,
): Line[] {
  const gas = { asset: GAS, units: asked.gas * asked.maxFeePerGas, most: dailyFees };
  const out = outflowOf(asked, own);
  return out ? [gas, { ...out, most: dailySums?.get(out.asset)?.units ?? null }] : [gas];
}

/** Ends the transaction, so that no line of a refused request is counted. */
class AboveSum extends Error {
  constructor(readonly line: Line) {
    super('above the sum');
  }
}

/** Counts all lines, or none. @returns the line that its sum does not hold */
async function countAll(
  database: Database,
  { chainId }: AllowedNetwork,
  { from, nonce }: UnsignedTransaction,
  day: string,
  lines: readonly Line[],
): Promise<Line | undefined> {
  try {
    await database.transaction(async (tx) => {
      for (const line of lines)
        if (!(await counted(tx, [chainId, day, from, nonce], line))) throw new AboveSum(line);
    });
    return undefined;
  } catch (error) {
    if (error instanceof AboveSum) return error.line;
    throw error;
  }
}

async function counted(
  tx: Sql,
  [chainId, day, from, nonce]: readonly [number, string, string, number],
  { asset, units, most }: Line,
): Promise<boolean> {
  // Raw: a function that alone may change the sums.
  const [row] = await tx.query<{ remains: string | null }>(
    'select count_signing($1, $2, $3, $4, $5, $6, $7) as remains',
    [chainId, asset, day, from, nonce, units.toString(), most?.toString() ?? null],
  );
  return row?.remains === null;
}

/** Decisions about a network in which raises are looked for. */
const DECISIONS = 100;

/**
 * Sums the raises of a day that two operators have approved. Postgres approves only for operators who present their
 * sessions, and a request without its seal does not count.
 * @returns units of the asset; 0 for an asset without a daily sum
 */
async function raisedBy(
  { database, keyring }: SumsOptions,
  { chain, dailySums }: AllowedNetwork,
  asset: string,
  day: string,
): Promise<bigint> {
  const sum = dailySums?.get(asset);
  if (!sum) return 0n;
  const raises = (await approvedAbout(database, chain, DECISIONS))
    .filter((made) => made.kind === RAISE && isHonest(keyring, made))
    .flatMap(({ terms }) => raiseOf(terms) ?? [])
    .filter((raise) => raise.asset === asset && raise.day === day);
  return raises.reduce((all, { amount }) => all + toUnits(new Decimal(amount), sum.decimals), 0n);
}

function raiseOf(terms: unknown): Raise | undefined {
  const { success, data } = raiseInput.safeParse(terms);
  return success ? data : undefined;
}

function isHonest(keyring: Keyring, made: Approval): boolean {
  try {
    assertSealed(keyring, made);
    return true;
  } catch {
    return false;
  }
}

/** Units of an asset as text, for people. */
export const amountText = (units: bigint, decimals: number): string => fromUnits(units, decimals).toFixed();
