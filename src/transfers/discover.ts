import type { Tx } from '../kernel/db/database';
import type { WorkflowCommand } from '../kernel/outbox/commands';
import type { MoneyParty } from '../kernel/outbox/queues';
import { showUnknown, tellUnusable } from '../parties/orders/unknown-name';
import { closeBreaksOf, openBreakAgain } from '../process/breaks/operations';
import { UnreadableAnswer } from '../process/party-errors';
import type { Process } from '../process/workflow-command';
import type { Services } from '../services';
import { discoverSession } from './deposits/discover';
import { unknownSession } from './deposits/kind';
import { UNREADABLE } from './engine/breaks';
import { makeDue } from './engine/due';
import type { Discovered, NamedByParty } from './engine/kind';
import { transfersOfParty } from './engine/read';
import { askAgainAt, forgetName, holdNames, keepName, tellNames, toldName } from './engine/tables/told-names';
import { discoverCredit } from './iban/credits/discover';
import { creditProcess } from './iban/credits/kind';
import { kindOf } from './kinds';

/** How a party's name for something that no transfer has is looked into: it may be money that nobody ordered. */
interface Discovery {
  /** Asks the party until it is known what it is. */
  process: Process<NamedByParty>;
  /** Begun so much later: until then it is most likely that a transfer learns the name. Seconds. */
  afterSeconds?: number;
  /** Makes a transfer of it, or tells the one that has it by now. Done twice, it has been done once. */
  discover(services: Services, ref: string): Promise<Discovered | 'unknown_to_party'>;
}

/** Of the parties at which money can stand that no order of ours asked for. */
export const DISCOVERIES: Partial<Record<MoneyParty, Discovery>> = {
  checkout: {
    process: unknownSession,
    afterSeconds: 5,
    discover: discoverSession,
  },
  bank: { process: creditProcess, discover: discoverCredit },
};

/**
 * Tells whoever a party means by its names to look: the transfers that have them; for the others, whoever finds out what
 * they are. That it was told stands in their rows with it, until it was asked for.
 * @returns how many transfers had one
 */
export async function tellOf(
  services: Telling,
  tx: Tx,
  party: MoneyParty,
  refs: readonly string[],
): Promise<number> {
  const { commands, now } = services;
  const at = now();
  const discovery = DISCOVERIES[party];
  const found = await makeDue(tx, party, refs, at);
  if (!discovery) await showUnknown(services, tx, party, without(refs, found));
  let unknown = discovery ? without(refs, found) : [];
  if (unknown.length > 0) {
    await holdNames(tx, party, unknown);
    const late = await makeDue(tx, party, unknown, at);
    found.push(...late);
    unknown = without(unknown, late);
  }
  await tellNames(tx, party, unknown, at);
  commands.append(tx, [
    ...found.map((row) => kindOf(row.kind).process.look(row)),
    ...unknown.flatMap((ref) => (discovery ? begin(discovery, ref) : [])),
  ]);
  return found.length;
}

/** What telling needs of the services. */
type Telling = Pick<Services, 'commands' | 'now' | 'log' | 'observeUnusable'>;

function without(refs: readonly string[], found: readonly { partyRef: string }[]): string[] {
  const known = new Set(found.map(({ partyRef }) => partyRef));
  return refs.filter((ref) => !known.has(ref));
}

const begin = ({ process, afterSeconds }: Discovery, ref: string): WorkflowCommand => ({
  ...process.look({ partyRef: ref }),
  ...(afterSeconds === undefined ? {} : { afterSeconds }),
});

/** A party may not know yet what it has told of: its own systems learn of it one after the other. */
const MISSING_AFTER_MS = 24 * 3_600_000;
/** What the attempts to ask may take beyond their time before whoever asks counts as lost. */
const GRACE_MS = 10 * 60_000;

/**
 * What a name is that no transfer had. One that the party has told of and does not know is asked for again for a day; then a
 * person must look.
 * @throws PartyAway nothing is known now; an answer that cannot be read is shown to a person, and asked for again
 */
export async function discover(services: Services, party: MoneyParty, ref: string): Promise<Discovered> {
  const { database, now } = services;
  const seen = await toldName(database, party, ref);
  const found = await lookInto(services, party, ref);
  const at = now();
  const { firstToldAt } = seen ?? { firstToldAt: at };
  const name = { party, ref };
  if (found === 'known' || found === 'kept' || found === 'nothing') {
    await closeBreaksOf(database, { subject: ref, kinds: [UNREADABLE, MISSING], at });
    await forgetName(database, name, seen);
    return found;
  }
  const isMissing = found === 'unknown_to_party' && at.getTime() - firstToldAt.getTime() >= MISSING_AFTER_MS;
  if (isMissing) {
    tellUnusable(services, party, 'unknown_name', ref);
    await openBreakAgain(database, breakOf(MISSING, name));
    await forgetName(database, name, seen);
    return 'missing';
  }
  const dueBy = new Date(askAgainAt({ firstToldAt }, at).getTime() + GRACE_MS);
  await keepName(database, { ...name, firstToldAt, dueBy }, seen);
  return 'open';
}

/** A party has told of something, and does not know it. */
const MISSING = 'party_word_missing';

const breakOf = (kind: string, { party, ref }: { party: MoneyParty; ref: string }) => ({
  ...{ tenantId: null, kind, subject: ref, detail: party },
});

/** A transfer that has the name is told to look; else the party is asked. */
async function lookInto(
  services: Services,
  party: MoneyParty,
  ref: string,
): Promise<Discovered | 'unknown_to_party'> {
  const { database } = services;
  const isKnown = (await transfersOfParty(database, party, [ref])).length > 0;
  if (isKnown) {
    await database.transaction((tx) => tellOf(services, tx, party, [ref]));
    return 'known';
  }
  try {
    return (await DISCOVERIES[party]?.discover(services, ref)) ?? 'nothing';
  } catch (error) {
    if (error instanceof UnreadableAnswer) {
      tellUnusable(services, party, 'word', ref);
      await openBreakAgain(database, breakOf(UNREADABLE, { party, ref }));
    }
    throw error;
  }
}
