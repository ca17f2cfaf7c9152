import { Problem } from '../../kernel/errors';
import { requireChainAnswer } from '../networks/nodes/chain-answer';
import { requireNetwork } from '../networks/operations';
import { forgedWallets } from '../wallets/operations';
import { type ComparingServices, compareChain } from './compare';
import { chainsToCompare, lastReadings } from './readings';
import type { ChainReading, Compared } from './record';

/** A place and asset of a chain as both stand now, or what could not be read. */
export interface ComparedNow {
  chain: string;
  /** Null when the chain does not answer. */
  blockNumber: number | null;
  /** Null when the chain, or the contract of the asset, does not answer. */
  compared: Compared | null;
  /** Null for a chain that does not answer. */
  asset: string | null;
  /** From the stored readings. */
  differsSince: Date | null;
  /** False when the ledger has no currency for the native coin, so that the books lack the cost of gas. */
  isGasBooked: boolean;
  /** Number of wallets that the product has not derived. In a row of its own, where there are any. */
  forged?: number;
}

/**
 * Compares chains with our books now. Stores nothing. A chain that does not answer stops the others only when it is the
 * named one.
 * @param named absent: each enabled chain
 * @throws Problem 404; 503 when the named chain does not answer
 */
export async function compareNow(
  services: ComparingServices,
  named: string | undefined,
): Promise<ComparedNow[]> {
  const { database } = services;
  const kept = await lastReadings(database);
  const chains =
    named === undefined
      ? await chainsToCompare(database)
      : [(await requireNetwork(database, named, { field: 'chain' })).chain];
  const found: ComparedNow[] = [];
  for (const chain of chains) {
    found.push(...(await compareOne(services, chain, kept, named !== undefined)));
    const network = await requireNetwork(database, chain);
    const { length: forged } = await forgedWallets(database, services.keyring, network);
    if (forged > 0) found.push({ ...NOTHING, chain, forged });
  }
  return found;
}

/** A row of a chain without balances. */
const NOTHING = { blockNumber: null, compared: null, asset: null, differsSince: null, isGasBooked: true };

async function compareOne(
  services: ComparingServices,
  chain: string,
  kept: readonly ChainReading[],
  isNamed: boolean,
): Promise<ComparedNow[]> {
  const asked = requireChainAnswer(compareChain(services, chain));
  const found = isNamed ? await asked : await asked.catch(undefinedIfAway);
  if (found === undefined) return [{ ...NOTHING, chain }];
  const { blockNumber, isGasBooked } = found;
  const compared = found.lines.map((line) => {
    const last = kept.find(
      (each) => each.chain === chain && each.place === line.place && each.asset === line.asset,
    );
    const differsSince = last?.differsSince ?? null;
    return { chain, blockNumber, compared: line, asset: line.asset, differsSince, isGasBooked };
  });
  const unread = found.unreadable.map((asset) => {
    return { chain, blockNumber, compared: null, asset, differsSince: null, isGasBooked };
  });
  return [...compared, ...unread];
}

function undefinedIfAway(error: unknown): undefined {
  if (error instanceof Problem && error.status === 503) return undefined;
  throw error;
}
