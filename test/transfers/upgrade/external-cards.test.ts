import type { Database } from '../../../src/kernel/db/database';
import { checkLedger } from '../../../src/kernel/ledger/check';
import type { Services } from '../../../src/services';
import { advance } from '../../../src/transfers/engine/advance';
import type { AnyKind } from '../../../src/transfers/engine/kind';
import type { Transfer } from '../../../src/transfers/engine/record';
import { readSituations } from '../../../src/transfers/engine/store';
import { CARD_KINDS } from '../../../src/transfers/external-cards/kind';
import { ibanCreditKind } from '../../../src/transfers/iban/credits/kind';
import { kindOf } from '../../../src/transfers/kinds';
import { type Earlier, upgraded } from './support';

/** What each record is, by the party's name for it. */
interface Known {
  cases: Record<string, string>;
}

let earlier: Earlier<Known>;
let database: Database;
let services: Services;
let cases: Known['cases'];

beforeAll(async () => {
  earlier = await upgraded<Known>('external-cards.jsonl');
  ({ database } = earlier);
  cases = earlier.header.cases;
  services = servicesThatSay((transfer) => transfer.word);
});
afterAll(() => earlier.drop());

/** Parties that say of each transfer what they are told to. */
function servicesThatSay(say: (transfer: Transfer) => unknown): Services {
  const ask = async (ref: string) => {
    const [row] = await database.query<Transfer>(
      'select id, kind, word, terms from transfers where party_ref = $1',
      [ref],
    );
    if (!row) throw new Error(`nobody has ${ref}`);
    return kindOf(row.kind).word.parse(say(row));
  };
  const externalCards = { changes: true, ask: async (key: string) => ({ word: await ask(key) }) };
  const parties = { externalCards, bank: { changes: true, ask } };
  const commands = { append: async () => undefined };
  const isListRead = async () => true;
  const switches = { party: async () => 'on' };
  const log = { warn: () => undefined };
  const nothing = () => undefined;
  return {
    ...{ database, commands, parties, isListRead, switches, log, observeUnusable: nothing },
    now: () => new Date(),
  } as unknown as Services;
}

const transfers = () =>
  database.query<{
    id: string;
    kind: string;
    status: string;
    adopted: boolean;
    partyRef: string;
    completed: string;
  }>(
    `select id, kind, status, adopted, party_ref as "partyRef", reached->>'completed' as completed
       from transfers order by created_at, id`,
  );

const legs = async () => (await database.query('select count(*)::int as legs from ledger_legs'))[0];

it('takes every record of the earlier release over, with the status and the times that it had', async () => {
  const shown = (await transfers()).map(({ partyRef, status }) => [cases[partyRef], status]);
  expect(Object.fromEntries(shown)).toEqual({
    ...Object.fromEntries(
      ['topup', 'withdrawal'].flatMap((kind) => [
        ...['pending', 'requires_action', 'processing', 'completed', 'failed', 'returned'].map((status) => [
          `${kind} ${status}`,
          status,
        ]),
        [`${kind} returned in part`, 'returned'],
        [`${kind} returned in three steps`, 'returned'],
        [`${kind} failed after completion`, 'returned'],
      ]),
    ),
    ...{ 'topup failed after processing': 'failed', 'withdrawal failed after processing': 'returned' },
    ...{ 'topup won back': 'completed', 'withdrawal won back': 'returned' },
    ...{ 'topup late': 'failed', 'topup late and returned in part': 'failed' },
    ...{ 'withdrawal late': 'completed', 'withdrawal late and returned in part': 'returned' },
    ...{ credited: 'credited', 'suspended of another currency': 'suspended' },
    ...{ 'suspended of nobody': 'suspended', 'suspended while disabled': 'suspended' },
  });
  for (const { completed } of await transfers())
    expect(completed ?? '2026-01-01T00:00:00.000Z').toMatch(/^\d{4}-.*\.\d{3}Z$/);
});

it('can read what it has taken over, terms, words and decisions', async () => {
  for (const kind of [...Object.values(CARD_KINDS), ibanCreditKind] as AnyKind[])
    expect((await readSituations(database, kind, new Date(), () => undefined)).length).toBeGreaterThan(0);
});

it('finds the books of each as they should be, and posts nothing, where the party says what it said', async () => {
  const chargebacks = () =>
    database.query(`select id from breaks where kind = 'external_card_chargeback' order by id`);
  const [before, shown] = [await legs(), await chargebacks()];
  const waiting = (await transfers()).filter(({ partyRef }) => !cases[partyRef]?.endsWith('pending'));
  for (const { id, kind } of waiting) await advance(services, kindOf(kind), id);
  const after = (await transfers()).filter(({ partyRef }) => !cases[partyRef]?.endsWith('pending'));
  expect(after.filter(({ adopted }) => !adopted).map(({ partyRef }) => cases[partyRef])).toEqual([]);
  expect(after.map(({ status }) => status)).toEqual(waiting.map(({ status }) => status));
  expect(await legs()).toEqual(before);
  expect(shown.length).toBeGreaterThan(0);
  expect(await chargebacks()).toEqual(shown);
  expect(await checkLedger(database)).toEqual([]);
});

it('shows what stands in suspense once', async () => {
  const open = await database.query<{ kind: string; subject: string }>(
    `select b.kind, t.party_ref as subject from breaks b join transfers t on b.subject in (t.id, t.party_ref)
      where resolved_at is null order by 1, 2`,
  );
  const of = (kind: string) =>
    open
      .filter((each) => each.kind === kind)
      .map(({ subject }) => cases[subject])
      .sort();
  expect(of('transfer_suspense')).toEqual([
    ...['suspended of another currency', 'suspended of nobody', 'suspended while disabled'],
    ...['topup late', 'topup late and returned in part'],
  ]);
  expect(of('iban_credit_unmatched')).toEqual([]);
  expect(of('external_card_unmatched')).toEqual([]);
  expect(of('transfer_not_adopted')).toEqual([]);
});

it('books what the party says otherwise from then on', async () => {
  const [late] = (await transfers()).filter(
    ({ partyRef }) => cases[partyRef] === 'topup returned in three steps',
  );
  const won = servicesThatSay(({ word }) => ({ ...(word as object), returns: [] }));
  const { status } = await advance(won, CARD_KINDS.topup, late?.id ?? '');
  // Without a version a word that takes something back is read again a minute later.
  expect(status).toBe('returned');
  const later = { ...won, now: () => new Date(Date.now() + 61_000) };
  expect((await advance(later, CARD_KINDS.topup, late?.id ?? '')).status).toBe('completed');
  expect(await checkLedger(database)).toEqual([]);
});
