import type { Tx } from '../kernel/db/database';
import type { MoneyParty } from '../kernel/outbox/queues';
import { openBreak } from '../process/breaks/operations';
import { OutcomeUnknown } from '../process/party-errors';
import { type Process, processOf } from '../process/workflow-command';
import type { Services } from '../services';
import { discoverSession } from './deposits/discover';
import { type Discovered, subjectOf } from './engine/kind';
import { transfersOfParty } from './engine/read';
import { discoverCredit } from './iban/credits/discover';
import { creditProcess } from './iban/credits/kind';
import { kindOf } from './kinds';

interface Found {
  ref: string;
  tenantId?: string;
}

/** How a party's name for something that no transfer has is looked into: it may be money that nobody ordered. */
interface Discovery {
  /** Asks the party until it is known what it is. */
  process: Process<Found>;
  /** Makes a transfer of it, or tells the one that has it by now. Done twice, it has been done once. */
  discover(services: Services, ref: string): Promise<Discovered>;
}

/** Of the parties at which money can stand that no order of ours asked for. */
export const DISCOVERIES: Partial<Record<MoneyParty, Discovery>> = {
  checkout: {
    process: processOf<Found>({
      workflow: 'checkoutPayment',
      prefix: 'checkout-payment-',
      summary: 'A checkout that no deposit knows',
      key: ({ ref }) => [ref],
    }),
    discover: discoverSession,
  },
  bank: { process: creditProcess, discover: discoverCredit },
};

/**
 * Tells whoever a party means by its names to look: the transfers that have them; for the others, whoever finds out what
 * they are.
 * @returns how many transfers had one
 */
export async function tellOf(
  { commands }: Pick<Services, 'commands'>,
  tx: Tx,
  party: MoneyParty,
  refs: readonly string[],
): Promise<number> {
  const found = await transfersOfParty(tx, party, refs);
  const known = new Set(found.map(({ partyRef }) => partyRef));
  const unknown = refs.filter((ref) => !known.has(ref));
  await commands.append(tx, [
    ...found.map((row) => kindOf(row.kind).process.look(subjectOf(row))),
    ...unknown.flatMap((ref) => DISCOVERIES[party]?.process.look({ ref }) ?? []),
  ]);
  return found.length;
}

/**
 * What a name is that no transfer had.
 * @throws PartyAway nothing is known now; an answer that cannot be read is shown to a person, and asked for again
 */
export async function discover(services: Services, party: MoneyParty, ref: string): Promise<Discovered> {
  const { database, commands } = services;
  const [found] = await transfersOfParty(database, party, [ref]);
  if (found) {
    const command = kindOf(found.kind).process.look(subjectOf(found));
    await database.transaction((tx) => commands.append(tx, [command]));
    return 'known';
  }
  try {
    return (await DISCOVERIES[party]?.discover(services, ref)) ?? 'nothing';
  } catch (error) {
    if (error instanceof OutcomeUnknown)
      await openBreak(database, {
        tenantId: null,
        kind: 'party_word_unreadable',
        subject: party,
        detail: ref,
      });
    throw error;
  }
}
