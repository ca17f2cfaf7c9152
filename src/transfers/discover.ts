import type { Tx } from '../kernel/db/database';
import type { WorkflowCommand } from '../kernel/outbox/commands';
import type { MoneyParty } from '../kernel/outbox/queues';
import { noteUnusable, showUnknown } from '../parties/orders/unknown-name';
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
import {
  askAgainAt,
  forgetName,
  lockNames,
  reportedName,
  scheduleLookup,
  storeReportedNames,
} from './engine/tables/reported-names';
import { discoverCredit } from './iban/credits/discover';
import { creditProcess } from './iban/credits/kind';
import { kindOf } from './kinds';

/** How a party's name without a transfer is looked up. The name may stand for money that nobody ordered. */
interface Discovery {
  /** The workflow that asks the party until the name is known. */
  process: Process<NamedByParty>;
  /** Delay of the workflow in seconds. A transfer most likely learns the name within this time. */
  afterSeconds?: number;
  /** Makes a transfer for the name, or signals the transfer that has it. Idempotent. */
  discover(services: Services, ref: string): Promise<Discovered | 'unknown_to_party'>;
}

/** Lookups of the parties that may hold money without an order of ours. */
export const DISCOVERIES: Partial<Record<MoneyParty, Discovery>> = {
  checkout: {
    process: unknownSession,
    afterSeconds: 5,
    discover: discoverSession,
  },
  bank: { process: creditProcess, discover: discoverCredit },
};

/**
 * Handles a party's report about names. Makes the transfers due and signals them; starts a lookup for each unknown
 * name. The report is stored in the same transaction, until a step or a lookup has answered it.
 * @returns the number of transfers that were found
 */
export async function receiveReport(
  services: ReportServices,
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
    await lockNames(tx, party, unknown);
    const late = await makeDue(tx, party, unknown, at);
    found.push(...late);
    unknown = without(unknown, late);
  }
  await storeReportedNames(tx, party, unknown, at);
  commands.append(tx, [
    ...found.map((row) => kindOf(row.kind).process.look(row)),
    ...unknown.flatMap((ref) => (discovery ? begin(discovery, ref) : [])),
  ]);
  return found.length;
}

/** Services that a report needs. */
type ReportServices = Pick<Services, 'commands' | 'now' | 'log' | 'observeUnusable'>;

function without(refs: readonly string[], found: readonly { partyRef: string }[]): string[] {
  const known = new Set(found.map(({ partyRef }) => partyRef));
  return refs.filter((ref) => !known.has(ref));
}

const begin = ({ process, afterSeconds }: Discovery, ref: string): WorkflowCommand => ({
  ...process.look({ partyRef: ref }),
  ...(afterSeconds === undefined ? {} : { afterSeconds }),
});

/**
 * Time until a reported name that the party does not know is shown to a person. The party's own systems may learn of
 * it late.
 */
const MISSING_AFTER_MS = 24 * 3_600_000;
/** Time for the attempts of a lookup before its workflow counts as lost. */
const GRACE_MS = 10 * 60_000;

/**
 * Looks up a name that no transfer had. A name that the party does not know either is asked for again for a day; then
 * a break opens.
 * @throws PartyAway when the party cannot be asked; UnreadableAnswer after a break was opened: retry
 */
export async function discover(services: Services, party: MoneyParty, ref: string): Promise<Discovered> {
  const { database, now } = services;
  const seen = await reportedName(database, party, ref);
  const found = await lookInto(services, party, ref);
  const at = now();
  const { firstReportedAt } = seen ?? { firstReportedAt: at };
  const name = { party, ref };
  if (found === 'known' || found === 'kept' || found === 'nothing') {
    await closeBreaksOf(database, { subject: ref, kinds: [UNREADABLE, MISSING], at });
    await forgetName(database, name, seen);
    return found;
  }
  const isMissing =
    found === 'unknown_to_party' && at.getTime() - firstReportedAt.getTime() >= MISSING_AFTER_MS;
  if (isMissing) {
    noteUnusable(services, party, 'unknown_name', ref);
    await openBreakAgain(database, breakOf(MISSING, name));
    await forgetName(database, name, seen);
    return 'missing';
  }
  const dueBy = new Date(askAgainAt({ firstReportedAt }, at).getTime() + GRACE_MS);
  await scheduleLookup(database, { ...name, firstReportedAt, dueBy }, seen);
  return 'open';
}

/** Break: a party does not know a name that it reported. */
const MISSING = 'party_word_missing';

const breakOf = (kind: string, { party, ref }: { party: MoneyParty; ref: string }) => ({
  tenantId: null,
  kind,
  subject: ref,
  detail: party,
});

/** Signals the transfer that has the name, or asks the party about it. */
async function lookInto(
  services: Services,
  party: MoneyParty,
  ref: string,
): Promise<Discovered | 'unknown_to_party'> {
  const { database } = services;
  const isKnown = (await transfersOfParty(database, party, [ref])).length > 0;
  if (isKnown) {
    await database.transaction((tx) => receiveReport(services, tx, party, [ref]));
    return 'known';
  }
  try {
    return (await DISCOVERIES[party]?.discover(services, ref)) ?? 'nothing';
  } catch (error) {
    if (error instanceof UnreadableAnswer) {
      noteUnusable(services, party, 'word', ref);
      await openBreakAgain(database, breakOf(UNREADABLE, { party, ref }));
    }
    throw error;
  }
}
