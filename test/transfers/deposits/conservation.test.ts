/** @long proves random deposits. */
import { randomUUID } from 'node:crypto';
import { Problem } from '../../../src/kernel/errors';
import { checkLedger, trialBalance } from '../../../src/kernel/ledger/check';
import { Decimal } from '../../../src/kernel/money/money';
import { decideDeposit, refundDeposit } from '../../../src/transfers/deposits/decide';
import type { Client } from '../../support/api';
import type { Session } from './party-double';
import {
  created,
  type DepositWorld,
  depositWorld,
  fold,
  inShort,
  internal,
  look,
  pay,
  read,
  toldOf,
} from './support';

/**
 * The books hold the party's money in the end, although its messages come shuffled, repeated, late or never. A failure
 * prints the seed: `DEPOSITS_SEED=<seed> npx jest test/transfers/deposits/conservation`. `DEPOSITS=1000` plays more.
 */
const DEPOSITS = Number(process.env['DEPOSITS'] ?? 400);
const SEED = Number(process.env['DEPOSITS_SEED'] ?? 20_261_121);
const AT_ONCE = 8; // so that transactions meet

let world: DepositWorld;
let clients: Client[];
beforeAll(async () => {
  world = await depositWorld();
  clients = await Promise.all([world.api.client(), world.api.client(), world.api.client()]);
  const unlimited = { rateLimit: { perSecond: 100_000, burst: 1_000_000 } };
  await world.api.database.query('update tenants set settings = settings || $1::jsonb', [
    JSON.stringify(unlimited),
  ]);
});
afterAll(() => world.close());

let state = SEED;
const random = () => {
  state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
  return state / 2 ** 31;
};
const between = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
const chance = (share: number) => random() < share;
const oneOf = <T>(choices: readonly T[]): T => choices[between(0, choices.length - 1)] as T;

interface Played {
  client: Client;
  id: string;
  accountId: string;
  /** Remaining events at the party, in order. */
  script: ((session: Session) => void)[];
  /** Ids of pending callbacks. An id may occur twice, as a repeated callback. */
  callbacks: string[];
}

const settle = (session: Session) => {
  if (session.status === 'paid') session.status = 'settled';
};
const half = ({ paid }: Session) =>
  new Decimal(paid?.amount ?? 0).dividedBy(2).toDecimalPlaces(2, Decimal.ROUND_DOWN).toFixed(2);
const sendBack =
  (amountOf: (session: Session) => string, status: 'succeeded' | 'failed' | 'pending') =>
  (session: Session) =>
    void session.refunds.push({
      id: `re_${session.sessionId}_${session.refunds.length}`,
      amount: amountOf(session),
      status,
    });
const dispute = (status: 'open' | 'won' | 'lost') => (session: Session) => {
  const [known] = session.disputes;
  if (known) known.status = status;
  else
    session.disputes.push({ id: `dp_${session.sessionId}`, amount: session.paid?.amount ?? '1.00', status });
};
const end = (status: 'failed' | 'cancelled' | 'expired') => (session: Session) =>
  void (session.status = status);
const paid = (session: Session) => pay(session);
const paidOther = (session: Session) => pay(session, { amount: '77.77' });
const risky = (session: Session) => void (session.risk = 'review');
const endRefunds = (session: Session) => {
  for (const refund of session.refunds)
    if (refund.status === 'pending') refund.status = oneOf(['succeeded', 'failed']);
};

/** Sequences of events of a payment at the party. */
const WAYS: readonly Played['script'][] = [
  [paid, settle],
  [paid, settle],
  [paid, settle, endRefunds],
  [paidOther, settle],
  [risky, paid, settle],
  [end('failed')],
  [end('cancelled'), paid, settle],
  [end('expired'), paid, settle],
  [paid, end('failed')],
  [paid, settle, sendBack(half, 'succeeded')],
  [paid, settle, sendBack(half, 'pending'), endRefunds],
  [paid, settle, dispute('open'), dispute('won')],
  [paid, settle, dispute('open'), dispute('lost')],
  [paid, settle, (session) => pay(session, { amount: '5000.00' }, true)],
];

async function begin(index: number): Promise<Played> {
  const client = oneOf(clients);
  const asked = {
    amount: `${between(5, 4_000)}.${between(10, 99)}`,
    currency: oneOf(['USD', 'EUR', 'GBP']),
    account: oneOf(['USD', 'EUR']),
  };
  const deposit = await created(client, { ...asked, externalId: `order-${index}` });
  await look(world, deposit.id);
  return { client, id: deposit.id, accountId: deposit.accountId, script: [...oneOf(WAYS)], callbacks: [] };
}

/** A random act of the operator. A refusal is allowed. */
async function operatorActs({ id }: Played): Promise<void> {
  const { api } = world;
  const given = { depositId: id, requestedBy: 'operator:ida', decidedBy: 'operator:ida' };
  const act = oneOf([
    (tx: Parameters<typeof refundDeposit>[1]) =>
      decideDeposit(api.services, tx, { ...given, decision: 'approved' }),
    (tx: Parameters<typeof refundDeposit>[1]) =>
      decideDeposit(api.services, tx, { ...given, decision: 'rejected' }),
    (tx: Parameters<typeof refundDeposit>[1]) => refundDeposit(api.services, tx, given),
    (tx: Parameters<typeof refundDeposit>[1]) =>
      refundDeposit(api.services, tx, { ...given, amount: new Decimal('1.01') }),
  ]);
  await api.database.transaction(act).catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error;
  });
}

/** Plays one event of a deposit. */
async function step(played: Played): Promise<void> {
  const session = world.double.session(played.id);
  if (played.script.length > 0 && chance(0.5)) {
    played.script.shift()?.(session);
    // The callback is lost, comes once, or comes several times. Callbacks come in random order.
    const copies = Array.from({ length: between(0, 2) }, () => randomUUID());
    played.callbacks.push(...copies, ...copies.filter(() => chance(0.5)));
    return;
  }
  const [callback] = played.callbacks.splice(between(0, played.callbacks.length - 1), 1);
  if (callback !== undefined) {
    await world.double.tell(world.api.url, session.sessionId, { id: callback });
    await look(world, played.id);
    if (chance(0.2)) await Promise.all([look(world, played.id), look(world, played.id)]);
  } else if (chance(0.3)) await operatorActs(played);
}

async function atOnce<T>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const left = [...items.entries()];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let next = left.shift(); next; next = left.shift()) await work(next[1], next[0]);
    }),
  );
}

/** The party's balance of our money by currency: settled payments, less refunds and disputes. */
function heldByParty(): Map<string, Decimal> {
  const held = new Map<string, Decimal>();
  for (const { asked, status, paid: has, refunds, disputes } of world.double.sessions()) {
    const currency = has?.currency ?? String(asked['currency']);
    const settled = status === 'settled' ? new Decimal(has?.amount ?? 0) : new Decimal(0);
    const taken = [
      ...refunds.filter((refund) => refund.status === 'succeeded'),
      ...disputes.filter((each) => each.status !== 'won'),
    ];
    const left = taken.reduce((sum, { amount }) => sum.minus(amount), settled);
    held.set(currency, (held.get(currency) ?? new Decimal(0)).plus(left));
  }
  return held;
}

/** The suspense by its open breaks, by currency. */
async function shownInSuspense(): Promise<Map<string, string>> {
  const rows = await world.api.database.query<{ currency: string; sum: string }>(
    `select currency, sum(amount) as sum from breaks
      where kind = 'transfer_suspense' and resolved_at is null group by currency`,
  );
  return new Map(rows.map(({ currency, sum }) => [currency, new Decimal(sum).toFixed(2)]));
}

it(`${DEPOSITS} random deposits conserve the money (seed ${SEED})`, async () => {
  const { api } = world;
  const all: Played[] = [];
  await atOnce(Array.from({ length: DEPOSITS }), async (_, index) => void all.push(await begin(index)));
  const stream = Array.from({ length: DEPOSITS * 6 }, () => oneOf(all));
  const busy = new Set<string>();
  await atOnce(stream, async (played) => {
    if (busy.has(played.id)) return; // another step of the same deposit is running
    busy.add(played.id);
    await step(played).finally(() => busy.delete(played.id));
  });
  await atOnce(all, async (played) => {
    const session = world.double.session(played.id);
    for (const happen of played.script.splice(0)) happen(session);
    endRefunds(session);
    await look(world, played.id);
  });
  // A word that takes something back counts a minute later.
  world.clock.ahead = 61_000;
  await atOnce(all, async ({ id }) => {
    for (let looks = 0; looks < 2; looks += 1) await look(world, id);
  });

  expect(await checkLedger(api.database)).toEqual([]);
  expect((await trialBalance(api.database)).filter(({ sum }) => !new Decimal(sum).isZero())).toEqual([]);
  const statuses = new Map<string, number>();
  for (const client of clients) {
    const told = await toldOf(api, client);
    const folded = fold(told);
    const accounts = await client.call('GET', '/v1/accounts?limit=100');
    for (const { id, balance } of accounts.body.data)
      expect([id, (folded.get(id) ?? new Decimal(0)).toFixed(2)]).toEqual([
        id,
        new Decimal(balance.available).plus(balance.pending).toFixed(2),
      ]);
    expect(inShort(told).filter((line) => line === 'account.deposit.completed').length).toBe(
      new Set(told.filter(({ event }) => event === 'account.deposit.completed').map(({ data }) => data['id']))
        .size,
    );
  }
  await atOnce(all, async (played) => {
    const shown = await read(played.client, played);
    statuses.set(shown.status, (statuses.get(shown.status) ?? 0) + 1);
    const gross = new Decimal(shown.creditedAmount).plus(shown.serviceFee).toFixed(2);
    const isCredited = !['manual_review', 'failed', 'cancelled', 'expired'].includes(shown.status);
    const charged = new Decimal(shown.chargedAmount).times(shown.rate).toFixed(2);
    expect([shown.status, gross]).toEqual([shown.status, isCredited ? charged : '0.00']);
  });
  const suspense = await shownInSuspense();
  for (const [currency, amount] of heldByParty()) {
    const booked = new Decimal(await internal(api, 'checkout', currency)).negated();
    expect([currency, booked.toFixed(2)]).toEqual([currency, amount.toFixed(2)]);
    const standing = new Decimal(await internal(api, 'suspense', currency)).toFixed(2);
    expect([currency, standing]).toEqual([currency, suspense.get(currency) ?? '0.00']);
  }
  // The run has reached every final status.
  expect([...statuses.keys()].sort()).toEqual(
    expect.arrayContaining(['chargeback', 'completed', 'failed', 'manual_review', 'refunded']),
  );
}, 600_000);
