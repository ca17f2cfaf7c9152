import { checkLedger } from '../../../src/kernel/ledger/check';
import { Decimal } from '../../../src/kernel/money/money';
import { foldOf } from '../../chaos/fold';
import { type Client, type TestApi, testApi } from '../../support/api';
import { type Fault, type PartyDouble, partyDouble } from './party-double';
import { create, fundedAccount, look, read } from './support';

/**
 * However the party's messages come – shuffled, repeated, late, lost, forged, between time-outs and repeated orders – the
 * money is in the end what the party has. The seed is printed with a failure:
 * `PAYOUTS_SEED=<seed> npx jest test/payouts/conservation`.
 */
const PAYOUTS = 300;
const SEED = Number(process.env['PAYOUTS_SEED'] ?? 20_261_121);
const AT_ONCE = 8;
const FUNDS = '1000000.00';

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
let accounts: { client: Client; accountId: string }[];
beforeAll(async () => {
  api = await testApi();
  party = await partyDouble(api);
  accounts = await Promise.all(
    [1, 2, 3].map(async () => {
      const client = await api.client();
      return { client, accountId: await fundedAccount(api, client, FUNDS) };
    }),
  );
});
afterAll(async () => {
  await party.close();
  await api.close();
});

type PartyState = Parameters<PartyDouble['set']>[1];

interface Played {
  client: Client;
  accountId: string;
  id: string;
  receivedAmount: Decimal;
  receivedCurrency: string;
  /** What is still to happen at the party, in its order. */
  script: PartyState[];
  /** Ids of messages that have come, to be sent again. */
  messages: string[];
}

const part = (whole: string) => new Decimal(whole).times(between(1, 99)).dividedBy(100).toFixed(2);

/** What the party does to a payout: mostly what parties do, and now and then what they should not. */
function scriptFor(received: string): PartyState[] {
  const returned = (): PartyState => ({
    status: 'returned',
    ...(chance(0.5) ? { returned: part(received) } : {}),
  });
  const sent: PartyState = { status: 'sent' };
  const completed: PartyState = { status: 'completed' };
  const failed: PartyState = { status: 'failed', failureCode: 'bank_refused' };
  const roll = random();
  if (roll < 0.4) return [sent, completed];
  if (roll < 0.55) return [failed];
  if (roll < 0.7) return [sent, completed, returned()];
  if (roll < 0.8) return [sent, returned()];
  if (roll < 0.85) return [returned(), { status: 'returned', returned: received }];
  if (roll < 0.9) return [failed, completed];
  if (roll < 0.95) return [completed, failed];
  return [returned(), completed];
}

async function begin(): Promise<Played> {
  const { client, accountId } = oneOf(accounts);
  const amount = `${between(60, 900)}.${between(10, 99)}`;
  const other = chance(0.3) ? { method: 'swift', currency: oneOf(['USD', 'GBP']) } : {};
  const { status, body, text } = await create(client, accountId, { amount, ...other });
  if (status !== 201) throw new Error(text);
  const { id, receivedAmount, receivedCurrency } = body;
  return {
    client,
    accountId,
    id,
    receivedAmount: new Decimal(receivedAmount),
    receivedCurrency,
    script: scriptFor(receivedAmount),
    messages: [],
  };
}

const ORDER_FAULTS: Fault[] = [
  'unavailable',
  'error-500',
  'rubbish',
  'done-and-error-500',
  'done-and-broken-off',
];

/** Drawn before it is played, so that what runs beside it does not change the random numbers. */
function actionsOf(played: Played): (() => Promise<unknown>)[] {
  const moves = played.script.map((next) => () => Promise.resolve(party.set(played.id, next)));
  const noise = Array.from({ length: between(2, 6) }, () => noiseOf(played));
  // The party's moves keep their order; what tells of them does not.
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
      await look(api, id).catch(() => undefined); // what the callback asked the workflow for
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

/** The first look of a payout may meet a fault; nobody but the first look makes an order, mostly. */
async function play(played: Played, actions: (() => Promise<unknown>)[], fault: Fault | undefined) {
  if (fault) party.orders.push(fault);
  for (let ordered = false; !ordered; ) {
    await look(api, played.id).catch(() => undefined);
    ordered = party.payments.some(({ key }) => key === `payout-${played.id}`);
  }
  for (const action of actions) await action();
}

async function finish({ id }: Played): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const done = await look(api, id).then(
      () => true,
      () => false,
    );
    if (done) return;
  }
  throw new Error(`${id} cannot be finished`);
}

async function inBatches<T>(items: T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const queue = [...items];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
    }),
  );
}

/** What the party keeps of a payout. */
function paidByParty({ id, receivedAmount }: Played): Decimal {
  const { status, returned } = party.payment(id);
  if (status === 'sent' || status === 'completed') return receivedAmount;
  if (status === 'returned') return receivedAmount.minus(returned ?? receivedAmount);
  return new Decimal(0);
}

async function legsOf(id: string): Promise<Map<string, Decimal>> {
  const rows = await api.database.query<{ account_id: string; sum: string }>(
    'select account_id, sum(available + pending) as sum from ledger_legs where reference_id = $1 group by account_id',
    [id],
  );
  return new Map(rows.map((row) => [row.account_id, new Decimal(row.sum)]));
}

it(`conserves money over ${PAYOUTS} payouts (PAYOUTS_SEED=${SEED})`, async () => {
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

  expect(await checkLedger(api.database)).toEqual([]);
  expect(party.payments).toHaveLength(PAYOUTS);
  const reached = new Set<string>();
  for (const played of payouts) {
    const record = await read(played.client, played.accountId, played.id);
    reached.add(record.status);
    const legs = await legsOf(played.id);
    // What the books say that the party has is what it has, to the minor unit.
    const booked = legs.get(`payouts:${played.receivedCurrency}`) ?? new Decimal(0);
    expect([played.id, record.status, booked.toFixed(2)]).toEqual([
      played.id,
      record.status,
      paidByParty(played).toFixed(2),
    ]);
    // The account has paid what its record says.
    const left = record.sentAt === undefined ? new Decimal(0) : new Decimal(record.totalDebit);
    const owed = left.minus(record.returnedAmount ?? 0).negated();
    expect((legs.get(played.accountId) ?? new Decimal(0)).toFixed(2)).toBe(owed.toFixed(2));
  }
  expect([...reached].sort()).toEqual(['completed', 'failed', 'returned']);
  await expectFold();
}, 280_000);

/** Nothing is held any more, and the client's webhooks come to the same balances. */
async function expectFold(): Promise<void> {
  for (const { client, accountId } of accounts) {
    const { body } = await client.call('GET', `/v2/accounts/${accountId}/balance`);
    const rows = await api.database.query<{ event: string; data: string }>(
      'select event, data from events where tenant_id = $1 order by number',
      [client.clientId],
    );
    const events = rows.map(({ event, data }) => ({
      event,
      data: JSON.parse(data) as Record<string, unknown>,
    }));
    const fold = foldOf(events).get(accountId);
    expect([fold?.available.plus(fold.pending).toFixed(2), '0.00']).toEqual([body.available, body.pending]);
  }
}
