/** @long proves random payouts. */
import { agrees, fold } from '../../../client/src';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { Decimal } from '../../../src/kernel/money/money';
import { type Client, type TestApi, testApi } from '../../support/api';
import { credited, enabled, paidOut } from '../iban/support';
import { type Fault, type PartyDouble, partyDouble, type SetPayout } from './party-double';
import { create, fundedAccount, look, read } from './support';

/**
 * The books of payouts from accounts and virtual IBANs hold the party's money in the end. The party's messages are
 * shuffled, repeated, late, lost or forged, its words have versions or not, and orders time out. A failure prints the
 * seed: `PAYOUTS_SEED=<seed> npx jest test/transfers/payouts/conservation`.
 */
const PAYOUTS = 150;
const SEED = Number(process.env['PAYOUTS_SEED'] ?? 20_261_121);
const AT_ONCE = 8;
const FUNDS = '500000.00';

let state = SEED;
const random = () => {
  state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
  return state / 2 ** 31;
};
const between = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
const chance = (share: number) => random() < share;
const oneOf = <T>(choices: readonly T[]): T => choices[between(0, choices.length - 1)] as T;

let api: TestApi;
let party: PartyDouble;
let accounts: { client: Client; accountId: string; ibanId: string }[];
/** How far the product's clock is ahead, in milliseconds. */
let ahead = 0;
beforeEach(async () => {
  api = await testApi({ now: () => new Date(Date.now() + ahead) });
  party = await partyDouble(api);
  accounts = await Promise.all(
    [1, 2, 3].map(async () => {
      const client = await api.client();
      const { id: ibanId } = await enabled(api, client);
      await credited(api, ibanId, FUNDS);
      return { client, accountId: await fundedAccount(api, client, FUNDS), ibanId };
    }),
  );
});
afterEach(async () => {
  await party.close();
  await api.close();
});

interface Played {
  client: Client;
  /** The id of the account or the virtual IBAN. */
  accountId: string;
  id: string;
  show(): Promise<Record<string, any>>;
  receivedAmount: Decimal;
  receivedCurrency: string;
  currency: string;
  /** Remaining events at the party, in order. */
  script: SetPayout[];
  /** Ids of earlier callbacks, for repeats. */
  messages: string[];
}

const part = (whole: Decimal) => whole.times(between(1, 99)).dividedBy(100).toFixed(2);

/** Events of a payout at the party: mostly valid ones, and some invalid ones. */
function scriptFor(whole: Decimal): SetPayout[] {
  const returned = (): SetPayout => ({
    status: 'returned',
    ...(chance(0.5) ? { returned: part(whole) } : {}),
  });
  const sent: SetPayout = { status: 'sent' };
  const completed: SetPayout = { status: 'completed' };
  const failed: SetPayout = { status: 'failed', failureCode: 'bank_refused' };
  const roll = random();
  if (roll < 0.3) return [sent, completed];
  if (roll < 0.4) return [failed];
  if (roll < 0.5) return [sent, completed, returned()];
  if (roll < 0.6) return [sent, returned()];
  if (roll < 0.7) {
    const half = whole.dividedBy(2).toFixed(2);
    const both = { a: half, b: whole.minus(half).toFixed(2) };
    return [completed, { status: 'returned', returns: { a: half } }, { status: 'returned', returns: both }];
  }
  if (roll < 0.75) return [failed, completed];
  if (roll < 0.8) return [completed, failed];
  if (roll < 0.85) return [returned(), completed];
  const anything = () => oneOf([sent, completed, failed, returned(), { status: 'processing' } as const]);
  return [anything(), anything(), anything(), oneOf([sent, completed, failed, returned()])];
}

async function begin(): Promise<Played> {
  const { client, accountId, ibanId } = oneOf(accounts);
  const amount = `${between(60, 900)}.${between(10, 99)}`;
  if (chance(0.4)) {
    const { id, show } = await paidOut(client, amount);
    const whole = new Decimal(amount);
    return {
      client,
      accountId: ibanId,
      id,
      show,
      script: scriptFor(whole),
      messages: [],
      receivedAmount: whole,
      receivedCurrency: 'EUR',
      currency: 'EUR',
    };
  }
  const other = chance(0.3) ? { method: 'swift', currency: oneOf(['USD', 'GBP']) } : {};
  const { status, body, text } = await create(client, accountId, { amount, ...other });
  if (status !== 201) throw new Error(text);
  const { id, receivedAmount, receivedCurrency } = body;
  const whole = new Decimal(receivedAmount);
  return {
    client,
    accountId,
    id,
    script: scriptFor(whole),
    messages: [],
    show: () => read(client, accountId, id),
    receivedAmount: whole,
    receivedCurrency,
    currency: 'EUR',
  };
}

const ORDER_FAULTS: Fault[] = [
  'unavailable',
  'error-500',
  'rubbish',
  'done-and-error-500',
  'done-and-broken-off',
];

/** Draws all actions before the run, so that parallel work does not change the random numbers. */
function actionsOf(played: Played): (() => Promise<unknown>)[] {
  const moves = played.script.map((next) => () => Promise.resolve(party.set(played.id, next)));
  const noise = Array.from({ length: between(2, 6) }, () => noiseOf(played));
  // The party's events keep their order. Callbacks and steps come in any order.
  const actions: (() => Promise<unknown>)[] = [() => look(api, played.id).catch(() => undefined)];
  while (moves.length + noise.length > 0) {
    const from = moves.length > 0 && (noise.length === 0 || chance(0.5)) ? moves : noise;
    actions.push(from.shift() as () => Promise<unknown>);
  }
  return actions;
}

function noiseOf(played: Played): () => Promise<unknown> {
  const { id, messages } = played;
  const roll = random();
  if (roll < 0.15) return () => party.tell(api, id, { forged: true });
  if (roll < 0.4) return () => party.tell(api, id, { id: messages.at(-1) ?? 'unheard-of' });
  if (roll < 0.7) {
    const message = `${id}-${between(1, 1_000_000)}`;
    messages.push(message);
    return async () => {
      await party.tell(api, id, { id: message });
      await look(api, id).catch(() => undefined); // the step that follows the callback
    };
  }
  if (roll < 0.8) {
    const twice = () => Promise.allSettled([look(api, id), look(api, id)]);
    return twice;
  }
  const fault = oneOf(ORDER_FAULTS);
  return async () => {
    party.questions.push(fault);
    await look(api, id).catch(() => undefined);
  };
}

/** Orders the payout, sometimes with a fault, and plays its actions. */
async function play(played: Played, actions: (() => Promise<unknown>)[], fault: Fault | undefined) {
  if (fault) party.orders.push(fault);
  for (let ordered = false; !ordered; ) {
    await look(api, played.id).catch(() => undefined);
    ordered = party.payments.some(({ key }) => key.endsWith(played.id));
  }
  for (const action of actions) await action();
}

/**
 * Makes a last step. The caller repeats it a minute later, when a word without a version that takes something back
 * counts.
 */
async function finish({ id }: Played): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const done = await look(api, id).then(
      () => true,
      () => false,
    );
    if (done) return;
  }
  throw new Error(`${id} fails at every step`);
}

async function inBatches<T>(items: T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const queue = [...items];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
    }),
  );
}

/** The amount of a payout that the party has had, and its returns. */
function atParty({ id, receivedAmount }: Played) {
  const { status, returned, returns } = party.payment(id);
  const hasLeft = ['sent', 'completed', 'returned'].includes(status);
  const whole = status === 'returned' && !returns ? receivedAmount : new Decimal(0);
  const back = returns
    ? Object.values(returns).reduce((sum, each) => sum.plus(each), new Decimal(0))
    : new Decimal(returned ?? whole);
  return { status, hasLeft, sent: hasLeft ? receivedAmount : new Decimal(0), back };
}

/** The payout's entries, summed by account. */
async function entriesOf(id: string): Promise<Map<string, Decimal>> {
  const rows = await api.database.query<{ account_id: string; sum: string }>(
    `select l.account_id, sum(l.available + l.pending) as sum
       from (select distinct reference_id from transfer_entries where transfer_id = $1) e
       join ledger_legs l on l.reference_id = e.reference_id group by l.account_id`,
    [id],
  );
  return new Map(rows.map((row) => [row.account_id, new Decimal(row.sum)]));
}

it.each([
  ['gives versions', true],
  ['gives no versions', false],
])(
  `conserves money over ${PAYOUTS} payouts where the party %s (PAYOUTS_SEED=${SEED})`,
  async (_, counts) => {
    party.counts = counts;
    const payouts: Played[] = [];
    for (let number = 0; number < PAYOUTS; number += 1) payouts.push(await begin());
    const plays = payouts.map((played) => ({
      played,
      actions: actionsOf(played),
      fault: chance(0.3) ? oneOf(ORDER_FAULTS) : undefined,
    }));
    await inBatches(plays, ({ played, actions, fault }) => play(played, actions, fault));
    party.questions = [];
    party.orders = [];
    await inBatches(payouts, finish);
    ahead += 61_000;
    await inBatches(payouts, finish);

    expect(await checkLedger(api.database)).toEqual([]);
    expect(party.payments).toHaveLength(PAYOUTS);
    const reached = new Set<string>();
    for (const played of payouts) reached.add(await expectAsAtParty(played));
    expect([...reached]).toEqual(expect.arrayContaining(['completed', 'failed', 'returned']));
    await expectFold();
  },
  280_000,
);

/** Whether a break says that the status cannot follow. */
const isImpossible = async (id: string): Promise<boolean> =>
  (
    await api.database.query(
      `select 1 from breaks where subject = $1 and kind = 'transfer_impossible' and resolved_at is null`,
      [id],
    )
  ).length > 0;

/** Expects books and status as at the party. @returns the status */
async function expectAsAtParty(played: Played): Promise<string> {
  const { id, accountId, receivedAmount, receivedCurrency, currency } = played;
  const { status, hasLeft, sent, back } = atParty(played);
  const [record, entries] = [await played.show(), await entriesOf(id)];
  const of = (account: string) => (entries.get(account) ?? new Decimal(0)).toFixed(2);
  const statuses = status === 'failed' ? ['failed', 'returned'] : [status];
  if (!(await isImpossible(id)))
    expect([id, statuses]).toEqual([id, expect.arrayContaining([record['status']])]);
  // The books hold the party's amount, to the minor unit.
  expect([id, status, of(`payouts:${receivedCurrency}`)]).toEqual([id, status, sent.minus(back).toFixed(2)]);
  // Nothing is in suspense, because the returns never exceed the sent amount here.
  expect(of(`suspense:${receivedCurrency}`)).toBe('0.00');
  const fee = hasLeft ? new Decimal(record['fee']) : new Decimal(0);
  expect(of(`fees:${currency}`)).toBe(fee.toFixed(2));
  // The account has paid the amount that has left and its fee, and nothing else.
  const share = back.dividedBy(receivedAmount).times(record['amount']);
  const taken = hasLeft ? new Decimal(record['amount']).minus(share) : new Decimal(0);
  const off = new Decimal(of(accountId)).plus(taken).plus(fee).abs();
  expect(off.lte(receivedCurrency === currency ? 0 : '0.01')).toBe(true);
  return record['status'] as string;
}

/** Expects that the clients' webhooks add up to the balances. */
async function expectFold(): Promise<void> {
  for (const { client, accountId } of accounts.flatMap(({ client, accountId, ibanId }) => [
    { client, accountId },
    { client, accountId: ibanId },
  ])) {
    const { body } = await client.call('GET', `/v2/accounts/${accountId}/balance`);
    const rows = await api.database.query<{ event: string; data: string }>(
      'select event, whole_text(data) as data from events where tenant_id = $1 order by number',
      [client.clientId],
    );
    const events = rows.map(({ event, data }) => ({
      event,
      data: JSON.parse(data) as object,
    }));
    const folded = fold(events).get(accountId);
    expect({ body, folded, same: agrees(folded, body) }).toMatchObject({ same: true });
  }
}
