import type { Command } from 'commander';
import { requireChainAnswer } from '../../../../chain/networks/chain-answer';
import { requireNetwork } from '../../../../chain/networks/operations';
import { type Comparison, compareChain } from '../../../../chain/reconciliation/compare';
import { chainsToCompare, lastReadings } from '../../../../chain/reconciliation/readings';
import type { ChainReading, Compared } from '../../../../chain/reconciliation/record';
import { show, table } from '../../../../desk/cli/console';
import type { Sql } from '../../../../kernel/db/database';
import { Problem } from '../../../../kernel/errors';
import type { Session } from '../../../session';
import type { CommandContext } from '../../context';
import { groupOf } from '../../groups';

const AFTER = `
Both are read now, the chain at the last block that was read for deposits; nothing is kept. "known" is on the chain and not
in the books yet, or not to be held by them: deposits that are not final, what an operation has moved, units beyond the ledger's
decimals. Exit code 1 where something else differs, or a chain or a token could not be read; what has differed at the readings of the last minutes says since when.`;

/** A line for programs. Amounts are exact, and `differsSince` comes from the stored readings. */
interface Line {
  chain: string;
  blockNumber: number;
  compared: Compared;
  differsSince: Date | null;
}

/** Compares the chains with our books (decisions part 4, Wallets). */
export function addReconcileCommand(program: Command, { console, run }: CommandContext): void {
  groupOf(program, 'chain', 'money of ours on chains, and what was found there')
    .command('reconcile')
    .argument('[chain]', 'its name, for instance local; every enabled one otherwise')
    .description('compares pool, station and treasury on a chain with the books')
    .option('--json', 'print a JSON array')
    .addHelpText('after', AFTER)
    .action((chain: string | undefined, { json }: { json?: boolean }) =>
      run(async (session) => {
        const { lines, unbooked, unread } = await readingOf(session, chain);
        const notes = unbooked.map(noGasOf);
        show(console, json, lines.map(lineView), [textOf(lines, unread.length === 0), ...notes].join('\n'));
        for (const each of unread) console.err(each);
        return unread.length === 0 && lines.every(({ compared }) => compared.difference.isZero()) ? 0 : 1;
      }),
    );
}

const noTokenOf = (chain: string, asset: string): string =>
  `${chain}: ${asset} not compared: its contract does not answer.`;

const chainsOf = async (sql: Sql, chain: string | undefined): Promise<string[]> =>
  chain === undefined ? chainsToCompare(sql) : [(await requireNetwork(sql, chain, 'chain')).chain];

const noGasOf = (chain: string): string =>
  `${chain}: gas not booked: no currency for the coin. What it has cost stands with each operation.`;

interface Readings {
  lines: Line[];
  /** Chains whose gas is not booked. */
  unbooked: string[];
  /** Errors of chains that could not be read, for people. */
  unread: string[];
}

/**
 * Reads the chains. A chain that fails does not stop the others. @param named absent: all @throws Problem 503 when the
 * named chain fails
 */
async function readingOf(session: Session, named: string | undefined): Promise<Readings> {
  const { database } = session;
  const kept = await lastReadings(database);
  const all: Readings = { lines: [], unbooked: [], unread: [] };
  for (const chain of await chainsOf(database, named)) {
    const asked = requireChainAnswer(compareChain(session, chain));
    const found = named === undefined ? await unlessAway(asked) : await asked;
    if (found === undefined) {
      all.unread.push(`${chain}: not compared: it cannot be reached just now.`);
      continue;
    }
    if (!found.isGasBooked) all.unbooked.push(chain);
    all.unread.push(...found.unreadable.map((asset) => noTokenOf(chain, asset)));
    all.lines.push(...linesOf(found, kept));
  }
  return all;
}

async function unlessAway(asked: Promise<Comparison>): Promise<Comparison | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Problem && error.status === 503) return undefined;
    throw error;
  }
}

const linesOf = ({ chain, blockNumber, lines }: Comparison, kept: readonly ChainReading[]): Line[] =>
  lines.map((compared) => {
    const last = kept.find(
      (each) => each.chain === chain && each.place === compared.place && each.asset === compared.asset,
    );
    return { chain, blockNumber, compared, differsSince: last?.differsSince ?? null };
  });

function lineView({ chain, blockNumber, compared, differsSince }: Line): Record<string, unknown> {
  const { place, asset, reported, booked, unbooked, difference } = compared;
  return {
    chain,
    blockNumber,
    place,
    asset,
    reported: reported.toFixed(),
    booked: booked.toFixed(),
    known: unbooked.toFixed(),
    difference: difference.toFixed(),
    differsSince,
  };
}

function textOf(lines: readonly Line[], isWhole: boolean): string {
  const columns = ['account', 'block', 'chain has', 'books have', 'known', 'difference', 'since'];
  const rows = lines.map(({ chain, blockNumber, compared, differsSince }) => {
    const { place, asset, reported, booked, unbooked, difference } = compared;
    const amounts = [reported, booked, unbooked, difference].map((amount) => amount.toFixed());
    return [`${place}@${chain}:${asset}`, blockNumber, ...amounts, differsSince?.toISOString()];
  });
  const differs = lines.filter(({ compared }) => !compared.difference.isZero()).length;
  const same = isWhole ? 'The chains have what the books say.' : 'What could be read is what the books say.';
  const verdict = differs === 0 ? same : `${differs} differ.`;
  return `${table(columns, rows)}\n\n${verdict}`;
}
