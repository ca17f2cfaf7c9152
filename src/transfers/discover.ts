import type { Tx } from '../kernel/db/database';
import type { MoneyParty } from '../kernel/outbox/queues';
import type { Services } from '../services';
import { discoverSession } from './deposits/discover';
import { subjectOf } from './engine/kind';
import { transfersOfParty } from './engine/store';
import { kindOf } from './kinds';

/**
 * What a party's name for something has come to. `known`: a transfer has it, and was told to look. `kept`: it is a new
 * transfer now. `nothing`: there is no money in it, or it is none of ours.
 */
export type Discovered = 'known' | 'kept' | 'nothing';

/** Makes a transfer of what no order of ours asked for. Done twice, it has been done once. */
export type Discover = (services: Services, ref: string) => Promise<Discovered>;

/** The parties with which money may come that nobody ordered. */
const DISCOVERIES: Partial<Record<MoneyParty, Discover>> = { checkout: discoverSession };

export const discovers = (party: MoneyParty): boolean => party in DISCOVERIES;

/**
 * Tells the transfers that a party means by its names to look.
 * @returns the names that none of them has
 */
export async function tellTransfers(
  { commands }: Pick<Services, 'commands'>,
  tx: Tx,
  party: MoneyParty,
  refs: readonly string[],
): Promise<string[]> {
  const found = await transfersOfParty(tx, party, refs);
  await commands.append(
    tx,
    found.map((row) => kindOf(row.kind).process.look(subjectOf(row))),
  );
  const known = new Set(found.map(({ partyRef }) => partyRef));
  return refs.filter((ref) => !known.has(ref));
}

/**
 * What a name is that no transfer had: told to its transfer, which has it by now, or made one.
 * @throws PartyAway nothing is known now
 */
export async function discover(services: Services, party: MoneyParty, ref: string): Promise<Discovered> {
  const unknown = await services.database.transaction((tx) => tellTransfers(services, tx, party, [ref]));
  if (unknown.length === 0) return 'known';
  return (await DISCOVERIES[party]?.(services, ref)) ?? 'nothing';
}

