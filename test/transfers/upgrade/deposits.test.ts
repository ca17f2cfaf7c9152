import { checkLedger } from '../../../src/kernel/ledger/check';
import { Decimal } from '../../../src/kernel/money/money';
import { createKeyring } from '../../../src/kernel/security/keyring';
import { createHttpCheckout } from '../../../src/parties/checkout/http';
import { adoptTransfer } from '../../../src/transfers/conclude';
import { requireDeposit } from '../../../src/transfers/deposits/create';
import { depositKind } from '../../../src/transfers/deposits/kind';
import { payableDepositView } from '../../../src/transfers/deposits/view';
import { advance } from '../../../src/transfers/engine/advance';
import { DOUBT_MS } from '../../../src/transfers/engine/follow';
import { type TestApi, testApi } from '../../support/api';
import { type CheckoutDouble, type Session, startCheckoutDouble } from '../deposits/party-double';
import { heldBy, PATIENCE_MS } from '../deposits/support';
import { type Earlier, upgraded } from './support';

/**
 * The upgrade of a database in which the release before the transfer engine has deposits in every state. `party` is where
 * the checkout had each, `view` what the API showed; `at` is when that was.
 */
interface Known {
  at: string;
  cases: Record<string, { id: string; view?: Record<string, unknown>; party?: EarlierSession }>;
  balances: { id: string; available: string; pending: string }[];
}

type EarlierSession = Omit<Session, 'asked' | 'others'> & { currency: string };

/** Where what the engine before had booked was wrong by its own columns: nothing is posted before a person adopts it. */
const UNEVEN: Record<string, string[]> = {
  // It took the refund for one of the credit, though more had been paid than was credited.
  'paid again, and the surplus refunded': ['fees 1.6', 'refunded -48.4', 'suspense -50'],
  // The share of what came second was reckoned while the first still stood, and not anew.
  'charged back while a refund failed': ['chargedBack 96.8', 'fees -3.2', 'suspense 100'],
  'charged back, then refunded by the party, then won': ['fees -3.2', 'refunded 96.8', 'suspense 100'],
  // Refunds come before disputes where both claim the same money: only the names are others.
  'charged back, then refunded by the party': ['chargedBack -96.8', 'refunded 96.8'],
  // The party took it back; only a break told of it.
  'refund done, then undone': ['deposits -40', 'fees 1.28', 'refunded -38.72'],
  // It was credited, and stood in suspense as a payment of nobody's.
  'paid while the answer with its page was lost': ['deposits 100', 'suspense -100'],
  // What went back before it was settled is ours to claim.
  'reviewed unsettled, of which the party returned all': ['deposits 100', 'suspense -100'],
  'rejected and returned unsettled': ['deposits 100', 'suspense -100'],
};

/** `refundedAmount` is what refunds have taken of the credit: where it was more, or what was undone, it is shown anew. */
const REFUNDED: Record<string, string | undefined> = {
  'paid again, and the surplus refunded': undefined,
  'refund done, then undone': undefined,
  'refunded beyond what was paid': '100.00',
};

/**
 * What the engine before would not hear of, and kept no trace of: to this one it is news, and is booked as news.
 * Each with what becomes of its status and of suspense.
 */
const UNHEARD: Record<string, [status: string, suspense: string]> = {
  'charged back, won, then lost': ['chargeback', ''],
  'rejected, returned and paid again': ['manual_review', 'USD 100'],
  'reviewed and charged back': ['manual_review', ''],
  'completed, then failed': ['completed', ''],
  'reviewed in suspense, then paid in another currency': ['manual_review', 'EUR 100'],
};

/** What the first look does, for it was to be done: an order to the party. */
const ORDERED: Record<string, string> = {
  created: 'awaiting_payment',
  rejected: 'failed',
  'refund asked for': 'completed',
};

let earlier: Earlier<Known>;
let api: TestApi;
let party: CheckoutDouble;
let ahead = 0;

beforeAll(async () => {
  earlier = await upgraded<Known>('deposits.jsonl');
  const { database, header } = earlier;
  party = await startCheckoutDouble();
  for (const { id, party: known } of Object.values(header.cases)) {
    if (!known) continue;
    const { currency, ...session } = known;
    const depositId = id.startsWith('dep_') ? id : null;
    party.remember(id, { ...session, asked: { currency, depositId }, others: [] });
  }
  const now = () => new Date(Date.parse(header.at) + ahead);
  const checkout = createHttpCheckout({
    ...{ baseUrl: party.url, secret: party.secret, timeoutMs: PATIENCE_MS, now },
  });
  const keyring = createKeyring(Buffer.alloc(32, 5));
  const options = { keyring, now, parties: { checkout }, publicUrl: () => 'https://cards.example' };
  api = await testApi(options, () => database);
});
afterAll(async () => {
  await party.close();
  await api.close();
  await earlier.drop();
});

const labels = () => Object.keys(earlier.header.cases);
const evenLabels = () =>
  labels().filter((label) => !(label in UNEVEN || label in UNHEARD || label in ORDERED));

/** Its id: that of a payment of nobody's goes by the session. */
async function transferOf(label: string): Promise<Record<string, any>> {
  const id = earlier.header.cases[label]?.id;
  const [row] = await earlier.database.query<Record<string, any>>(
    'select id, account_id, status, adopted, terms from transfers where id = $1 or party_ref = $1',
    [id],
  );
  if (!row) throw new Error(`there is no ${label}`);
  return row;
}

async function viewOf(label: string): Promise<Record<string, unknown>> {
  const { id, account_id: accountId } = await transferOf(label);
  const shown = await requireDeposit(api.services, null, accountId, id);
  return JSON.parse(JSON.stringify(payableDepositView(api.services, shown))) as Record<string, unknown>;
}

/** The double counts no words: one that looks as if it took something back counts when it is read again. */
async function lookAt(all: readonly string[]): Promise<void> {
  for (let times = 0; times < 2; times += 1) {
    for (const label of all) await advance(api.services, depositKind, (await transferOf(label))['id']);
    ahead += DOUBT_MS + 1_000;
  }
}

/** How much is posted, and told. */
const done = () =>
  earlier.database.query(
    'select (select count(*) from ledger_legs) as legs, (select count(*) from events) as events',
  );

const balances = () =>
  earlier.database.query(
    `select id, available::text, pending::text from ledger_accounts
      where id = any ($1) order by id`,
    [earlier.header.balances.map(({ id }) => id)],
  );

/** Open breaks of a kind, as `detail amount`. */
async function breaksOf(label: string, kind: string): Promise<string[]> {
  const { id } = await transferOf(label);
  const rows = await earlier.database.query<{ detail: string; amount: string }>(
    `select split_part(detail, ' ', 1) as detail, amount::text from breaks
      where subject = $1 and kind = $2 and resolved_at is null order by 1`,
    [id, kind],
  );
  return rows.map(({ detail, amount }) => `${detail} ${new Decimal(amount).toFixed()}`);
}

async function bookedOf(label: string, component: string): Promise<string> {
  const rows = await earlier.database.query<{ currency: string; sum: string }>(
    `select currency, sum(amount)::text as sum from transfer_entries where transfer_id = $1 and component = $2
      group by currency having sum(amount) <> 0 order by currency`,
    [(await transferOf(label))['id'], component],
  );
  return rows.map(({ currency, sum }) => `${currency} ${new Decimal(sum).toFixed()}`).join(', ');
}

/** What the party has of ours, as our books name it. */
function heldOf(label: string): string {
  const { party: known } = earlier.header.cases[label] ?? {};
  const held = heldBy(party.sessions().filter(({ sessionId }) => sessionId === known?.sessionId));
  return [...held]
    .filter(([, amount]) => !amount.isZero())
    .map(([currency, amount]) => `${currency} ${amount.negated().toFixed()}`)
    .sort()
    .join(', ');
}

/** As the API showed it, but for what is reckoned anew. */
function shownBefore(label: string): Record<string, unknown> | undefined {
  const { view } = earlier.header.cases[label] ?? {};
  if (!view || !(label in REFUNDED)) return view;
  const { refundedAmount: _, ...rest } = view;
  return REFUNDED[label] === undefined ? rest : { ...rest, refundedAmount: REFUNDED[label] };
}

it('shows each deposit as before, and no balance has changed', async () => {
  for (const label of labels()) {
    const view = shownBefore(label);
    if (view) expect([label, await viewOf(label)]).toEqual([label, view]);
  }
  const nobodys = { status: 'manual_review', account_id: null, terms: null };
  expect(await transferOf('of nobody’s')).toMatchObject(nobodys);
  expect(await balances()).toEqual(earlier.header.balances);
});

it('keeps times as the wire has them', async () => {
  const times = await earlier.database.query<{ time: string }>(
    `select value as time from transfers, jsonb_each_text(reached)
      union all select terms->>'expiresAt' from transfers where terms <> 'null'`,
  );
  expect(times.length).toBeGreaterThan(labels().length);
  for (const { time } of times) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

it('takes over those whose books are what they should be at the first look, and posts and tells nothing', async () => {
  const before = await done();
  await lookAt(evenLabels());
  for (const label of evenLabels()) {
    expect([label, (await transferOf(label))['adopted']]).toEqual([label, true]);
    expect([label, await bookedOf(label, 'deposits')]).toEqual([label, heldOf(label)]);
    const view = shownBefore(label);
    if (view)
      expect([label, await viewOf(label)]).toEqual([label, { ...view, updatedAt: expect.any(String) }]);
  }
  expect(await done()).toEqual(before);
  expect(await balances()).toEqual(earlier.header.balances);
});

it('shows those whose books are not, and posts and tells nothing until a person adopts them', async () => {
  const before = await done();
  await lookAt(Object.keys(UNEVEN));
  for (const [label, difference] of Object.entries(UNEVEN))
    expect([label, await breaksOf(label, 'transfer_not_adopted')]).toEqual([label, difference]);
  expect(await done()).toEqual(before);
  for (const label of Object.keys(UNEVEN)) {
    const given = {
      transferId: (await transferOf(label))['id'],
      reason: 'Checked.',
      decidedBy: 'operator:ida',
    };
    await api.services.database.transaction((tx) => adoptTransfer(api.services, tx, given));
    await lookAt([label]);
    expect([label, await breaksOf(label, 'transfer_not_adopted')]).toEqual([label, []]);
    expect([label, await bookedOf(label, 'deposits')]).toEqual([label, heldOf(label)]);
    expect([label, (await viewOf(label))['refundedAmount']]).toEqual([
      label,
      shownBefore(label)?.['refundedAmount'],
    ]);
  }
  expect(await checkLedger(earlier.database)).toEqual([]);
});

it('books as news what the engine before would not hear of', async () => {
  await lookAt(Object.keys(UNHEARD));
  for (const [label, [status, suspense]] of Object.entries(UNHEARD)) {
    const after = [(await transferOf(label))['status'], await bookedOf(label, 'suspense')];
    expect([label, ...after]).toEqual([label, status, suspense]);
    expect([label, await bookedOf(label, 'deposits')]).toEqual([label, heldOf(label)]);
  }
  expect(await checkLedger(earlier.database)).toEqual([]);
});

it('gives the orders that were still to be given, and no other', async () => {
  expect(party.requests.filter((request) => request.startsWith('POST'))).toEqual([]);
  const sessions = party.sessions().length;
  await lookAt(Object.keys(ORDERED));
  for (const [label, status] of Object.entries(ORDERED))
    expect([label, (await transferOf(label))['status']]).toEqual([label, status]);
  expect(party.sessions().length).toBe(sessions + 1);
  for (const label of ['rejected', 'refund asked for'])
    expect(party.session(earlier.header.cases[label]?.id ?? '').refunds).toMatchObject([
      { status: 'succeeded' },
    ]);
});

it('credits what was approved once it is settled, and not what was approved of another amount', async () => {
  const approved = {
    'approved before settlement': 'completed',
    'approved, then paid otherwise, and approved again': 'completed',
    'approved, then paid otherwise': 'manual_review',
    'approved, then failed, then paid': 'manual_review',
  };
  for (const label of Object.keys(approved))
    party.session(earlier.header.cases[label]?.id ?? '').status = 'settled';
  await lookAt(Object.keys(approved));
  const statuses = Object.keys(approved).map(async (label) => [label, (await transferOf(label))['status']]);
  expect(Object.fromEntries(await Promise.all(statuses))).toEqual(approved);
});

it('shows what stands in suspense once, and nothing again that a person has seen to', async () => {
  const open = await earlier.database.query<{ kind: string; detail: string }>(
    `select kind, split_part(detail, ' ', 1) as detail from breaks where resolved_at is null`,
  );
  const kinds = [...new Set(open.map(({ kind }) => kind))].filter((kind) => !kind.startsWith('transfer_'));
  expect(kinds.sort()).toEqual(['deposit_refund_failed', 'deposit_refund_not_ours', 'deposit_refund_undone']);
  expect(await breaksOf('of nobody’s', 'transfer_suspense')).toEqual(['USD 55']);
  expect(await breaksOf('refunded whole by the party in three parts', 'deposit_refund_not_ours')).toEqual([]);
  const notOurs = await breaksOf('refunded beyond what was paid', 'deposit_refund_not_ours');
  expect(notOurs.sort()).toEqual(['refund 50', 'refund 80']);
});
