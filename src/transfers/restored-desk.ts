import { z } from 'zod';
import type { Tx } from '../kernel/db/database';
import { conflict } from '../kernel/errors';
import { moneyText } from '../kernel/money/money';
import { MONEY_PARTIES, type MoneyParty } from '../kernel/outbox/queues';
import { PARTY_NAMES, partyNamed } from '../kernel/parties';
import { type Decision, decision, type Judged, type SubjectSpec } from '../process/desk/decision';
import { type Desk, defineDesk } from '../process/desk/desk';
import { columnsOf, list } from '../process/desk/list';
import type { Services } from '../services';
import { type AnyTransfer, anyTransfer, moveEffects } from './conclude-desk';
import { mostOf } from './engine/books/inflow';
import { droppedWord, fingerprintOf } from './engine/restored';
import { followAgain, followAllAgain, type Restored, restoredOf, weighFollowing } from './restored';

type RestoredDeskServices = Pick<Services, 'database' | 'commands' | 'now'>;

const NAMES = MONEY_PARTIES.flatMap((party) => (party === 'chain' ? [] : [PARTY_NAMES[party]]));

const partyOf = (name: string): MoneyParty | undefined =>
  MONEY_PARTIES.find((party) => party === partyNamed(name));

const columns = columnsOf<Restored>();

/**
 * The desk of parties that were restored from a backup and count their versions from below. Their updates are dropped
 * until a person follows them again.
 */
export function restoredDesk(services: RestoredDeskServices): Desk {
  const { database, now } = services;
  return defineDesk({
    name: 'restored',
    title: 'Transfers whose party was restored and reports older versions',
    lists: [
      list({
        name: 'restored',
        title: 'what would move if the older versions of the parties were followed',
        filters: z.object({ party: z.enum(NAMES).optional() }),
        columns: {
          id: columns.id('transfer', ({ id }) => id),
          kind: columns.text('kind', ({ kind }) => kind),
          client: columns.id('client', ({ tenantId }) => tenantId),
          known: columns.text('known', ({ known }) => known),
          told: columns.text('told', ({ reported }) => reported),
          status: columns.status('status', ({ status }) => status),
          becomes: columns.status('becomes', ({ becomes }) => becomes),
          moves: columns.text('would move', movesText),
        },
        rows: ({ filters: { party: name }, after, limit }) => {
          const page = { party: name && partyOf(name), after: after?.id, limit };
          return database.transaction((tx) => restoredOf(tx, page, now()));
        },
        place: ({ id }) => ({ since: BEGINNING, id }),
        decisions: ['transfer.follow-version'],
      }),
    ],
    decisions: [followVersion(services), followVersions(services)],
  });
}

/** The list is in the order of the ids. */
const BEGINNING = new Date(0);

const movesText = ({ moves }: Pick<Restored, 'moves'>): string =>
  moves.map(({ component, ...money }) => `${component} ${moneyText(money)}`).join(', ');

const versionText = (version: number | null): string | null => (version === null ? null : String(version));

const followVersion = (services: RestoredDeskServices): Decision =>
  decision<AnyTransfer>({
    name: 'transfer.follow-version',
    title: 'counts what its party tells of now, although the version is older than the one that is known',
    permission: 'money',
    subject: anyTransfer(services),
    restsOn: ({ reported }) => ({ status: reported.transfer.status, told: reportedIn(reported) }),
    async weigh(tx, { id, at }) {
      return { ...(await weighFollowing(tx, id, at)).money, ever: true };
    },
    async preview(tx, { id, at }) {
      const { restored } = await weighFollowing(tx, id, at);
      return [
        { field: 'status', from: restored.status, to: restored.becomes },
        { field: 'version', from: versionText(restored.known), to: versionText(restored.reported) },
        ...moveEffects(restored.moves),
      ];
    },
    async execute(tx, { id: transferId, subject }, { decidedBy, reason }) {
      const given = { transferId, reason: reason ?? '', decidedBy };
      const { before, after } = await followAgain(services, tx, given);
      const { status } = after.transfer;
      return {
        before: { status: before.transfer.status },
        after: { status, word: reportedIn(subject.reported) },
        result: { transferId, status },
      };
    },
  });

/** The fingerprint of the answer that was dropped as older. */
function reportedIn(reported: AnyTransfer['reported']): string | null {
  const dropped = droppedWord(reported);
  return dropped ? fingerprintOf(dropped) : null;
}

interface Previewed {
  /** Fingerprint of the word that each transfer was previewed with, by its id. */
  words?: Record<string, string> | undefined;
}

const parties: SubjectSpec<{ party: MoneyParty }> = {
  noun: 'party',
  kinds: [],
  read: async (_, name) => found(name),
  lock: async (_, name) => found(name),
  tenantOf: () => null,
};

function found(name: string): { party: MoneyParty } | undefined {
  const party = partyOf(name);
  return party && { party };
}

/** The second operator approves the states that were previewed, and no others. A transfer that has changed is left out. */
const followVersions = (services: RestoredDeskServices): Decision =>
  decision<{ party: MoneyParty }, Previewed>({
    name: 'party.follow-versions',
    title: `counts all that its list of restored transfers shows, at most 200; the party is one of ${NAMES.join(', ')}`,
    permission: 'money',
    subject: parties,
    input: z.strictObject({
      words: z.record(z.string(), z.string()).optional().meta({
        description: 'Fingerprints of the previewed words, by id. Without it, all words as they are now.',
      }),
    }),
    takesTwo: 'always',
    restsOn: () => ({}),
    async kept(tx, judged) {
      const all = await requireRestored(tx, judged);
      return { words: Object.fromEntries(all.map(({ id, word }) => [id, word])) };
    },
    async weigh(tx, judged) {
      const all = await requireRestored(tx, judged);
      return { ...mostOf(all.flatMap(({ moves }) => moves)), ever: false };
    },
    async preview(tx, judged) {
      const all = await requireRestored(tx, judged);
      return all.map((each) => ({
        field: each.id,
        from: `${each.status}, version ${versionText(each.known) ?? 'none'}`,
        to: [`${each.becomes}, version ${versionText(each.reported) ?? 'none'}`, movesText(each)]
          .filter(Boolean)
          .join(': '),
      }));
    },
    async execute(tx, { input: { words = {} } }, { decidedBy, reason }) {
      const wanted = Object.entries(words).map(([id, word]) => ({ id, word }));
      const result = await followAllAgain(services, tx, wanted, { decidedBy, reason: reason ?? '' });
      return { after: result, result };
    },
  });

/** @throws Problem 409 `invalid_transition` where the party tells of no older version */
async function requireRestored(
  tx: Tx,
  { subject: { party }, input: { words }, at }: Judged<{ party: MoneyParty }, Previewed>,
): Promise<Restored[]> {
  const found = await restoredOf(tx, { party }, at);
  const all = words ? found.filter(({ id, word }) => words[id] === word) : found;
  if (all.length === 0)
    throw conflict('invalid_transition', 'The party tells of no older version of any transfer.');
  return all;
}
