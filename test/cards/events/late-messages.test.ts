/** @long */
import { archiveChains } from '../../../src/cards/events/archive';
import { expireAuthorizations } from '../../../src/cards/events/expiry';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { type Client, type TestApi, testApi } from '../../support/api';
import { cardBalance, fund, simulate } from '../../support/cards';
import { messageOf, type NetworkCard, networkCard, send } from '../processor/support';

/**
 * Each late message meets the same chain in two installations, and one of them has archived the chain. Answers, balances
 * and events must not differ. The table has every chain with every message. The everyday suite takes a quarter of it, in
 * which each chain and each message occurs; the long suite takes the whole.
 */

const DAY = 86_400;

/** One case in one installation. Cases of the same late messages share a card. */
interface Scene {
  /** Part of the names that must be unique. */
  name: string;
  api: TestApi;
  client: Client;
  card: NetworkCard;
  /** References of the answers so far, without repetitions. */
  references: string[];
  answers: unknown[];
}

type Step = (scene: Scene) => Promise<void>;

/** Calls the sandbox. `of` is the position of the reference among those that were answered. */
const event =
  (
    type: string,
    { of, key, ...more }: { of?: number; key?: string; amount?: string; final?: boolean } = {},
  ): Step =>
  async (scene) => {
    const referenceId = of === undefined ? undefined : scene.references.at(of);
    const headers: Record<string, string> =
      key === undefined ? {} : { 'x-idempotency-key': `${key}-${scene.name}` };
    const { status, body } = await simulate(
      scene.client,
      { cardId: scene.card.id, type, referenceId, ...more },
      headers,
    );
    keep(scene, status, body);
  };

/** Sends a message of the card network. */
const message =
  (type: string, name: string, more: { amount: string; sent?: number; final?: boolean }): Step =>
  async (scene) => {
    const { reference } = scene.card;
    const named = { messageId: `${name}-${scene.name}`, networkReference: `n-${scene.name}` };
    const given = messageOf({ reference }, { type, ...more, ...named });
    const { status, body } = await send(scene.api, given);
    keep(scene, status, body);
  };

function keep(scene: Scene, status: number, body: { referenceId?: string }): void {
  scene.answers.push({ status, body });
  if (body.referenceId !== undefined && !scene.references.includes(body.referenceId))
    scene.references.push(body.referenceId);
}

const expire: Step = async ({ api, card }) => {
  await api.database.query('update authorizations set expires_at = product_now() where card_id = $1', [
    card.id,
  ]);
  await expireAuthorizations(api.services, 100);
};

const TWENTY = { amount: '20.00' };

/** Chains that have ended. */
const CHAINS: Record<string, Step[]> = {
  'settled in two parts': [
    event('authorization', TWENTY),
    event('settle', { of: 0, amount: '15.00' }),
    event('settle', { of: 0, final: true }),
  ],
  'settled in part, the rest cancelled': [
    event('authorization', TWENTY),
    event('settle', { of: 0, amount: '5.00', key: 'settle' }),
    event('cancel', { of: 0 }),
  ],
  cancelled: [event('authorization', TWENTY), event('cancel', { of: 0, key: 'cancel' })],
  expired: [event('authorization', TWENTY), expire],
  'settled and refunded in part': [
    event('authorization', TWENTY),
    event('settle', { of: 0, final: true }),
    event('refund', { of: 0, amount: '8.00', key: 'refund' }),
  ],
  'settled by more than was authorized': [
    event('authorization', TWENTY),
    event('settle', { of: 0, amount: '25.00', final: true }),
  ],
  'of the network, cleared': [
    message('authorization', 'a', { amount: '20.00' }),
    message('clearing', 'c', { amount: '20.00', sent: 1, final: true }),
  ],
  'of the network, reversed': [
    message('authorization', 'a', { amount: '20.00' }),
    message('reversal', 'r', { amount: '20.00', sent: 1 }),
  ],
  'of the network, cleared in part, reversed in part': [
    message('authorization', 'a', { amount: '20.00' }),
    message('clearing', 'c', { amount: '12.00', sent: 1 }),
    message('reversal', 'r', { amount: '8.00', sent: 2 }),
  ],
  'of the network, cleared without an authorization': [
    message('clearing', 'c', { amount: '20.00', sent: 1, final: true }),
  ],
  'of the network, reversed before it came': [
    message('reversal', 'r', { amount: '5.00', sent: 1 }),
    message('authorization', 'a', { amount: '20.00' }),
    message('clearing', 'c', { amount: '15.00', sent: 2, final: true }),
  ],
};

const LATE: Record<string, Step[]> = {
  'a refund of a part': [event('refund', { of: 0, amount: '3.00' })],
  'two refunds': [event('refund', { of: 0, amount: '3.00' }), event('refund', { of: 0, amount: '2.00' })],
  'a refund by the last reference': [event('refund', { of: -1, amount: '3.00' })],
  'a refund without an amount': [event('refund', { of: 0 })],
  'a refund of too much': [event('refund', { of: 0, amount: '25.01' })],
  'a settlement': [event('settle', { of: 0, amount: '4.00' })],
  'a settlement and its refund': [
    event('settle', { of: 0, amount: '4.00' }),
    event('refund', { of: 0, amount: '4.00' }),
  ],
  'a final settlement': [event('settle', { of: 0, final: true })],
  'a cancellation': [event('cancel', { of: 0 })],
  'a further authorization': [
    event('authorization', { of: 0, amount: '2.00' }),
    event('settle', { of: -1, final: true }),
  ],
  'a decline': [event('decline', { of: 0, amount: '2.00' })],
  'an unknown reference': [event('refund', { amount: '1.00' })],
  'a repeat under each key': [
    event('settle', { of: 0, amount: '5.00', key: 'settle' }),
    event('cancel', { of: 0, key: 'cancel' }),
    event('refund', { of: 0, amount: '8.00', key: 'refund' }),
  ],
  'another request under each key': [
    event('settle', { of: 0, amount: '5.01', key: 'settle' }),
    event('cancel', { of: 0, amount: '1.00', key: 'cancel' }),
    event('refund', { of: 0, amount: '8.01', key: 'refund' }),
  ],
  'repeats of the network': [
    message('authorization', 'a', { amount: '20.00' }),
    message('clearing', 'c', { amount: '20.00', sent: 1, final: true }),
    message('reversal', 'r', { amount: '20.00', sent: 1 }),
  ],
  'other bytes under the ids of the network': [
    message('authorization', 'a', { amount: '20.50' }),
    message('clearing', 'c', { amount: '20.50', sent: 1 }),
    message('reversal', 'r', { amount: '20.50', sent: 1 }),
  ],
  'a refund by the network': [message('refund', 'late', { amount: '3.00', sent: 9 })],
  'a reversal by the network': [message('reversal', 'late', { amount: '3.00', sent: 9 })],
  'a reversal after a clearing by the network': [
    message('clearing', 'late-c', { amount: '3.00', sent: 8 }),
    message('reversal', 'late-r', { amount: '3.00', sent: 9 }),
  ],
  'a clearing by the network': [message('clearing', 'late', { amount: '3.00', sent: 9 })],
  'a later authorization by the network': [message('authorization', 'late', { amount: '3.00', sent: 9 })],
  'an earlier authorization by the network': [message('authorization', 'late', { amount: '3.00', sent: -9 })],
  'an advice of the network': [message('advice', 'late', { amount: '3.00', sent: 9 })],
};

/** Ids and times differ between the installations. Ids are replaced by the order of their appearance. */
function comparable(told: unknown): unknown {
  const seen = new Map<string, string>();
  const text = JSON.stringify(told)
    .replace(/\b[a-z]+_[0-9a-hjkmnp-tv-z]{26}\b/g, (id) => {
      const known = seen.get(id) ?? `${id.slice(0, id.indexOf('_'))}-${seen.size}`;
      seen.set(id, known);
      return known;
    })
    .replace(/"requestId":"[^"]+"/g, '"requestId":""')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time');
  return JSON.parse(text);
}

type Case = readonly [chain: string, late: string];
const ALL = Object.keys(CHAINS).flatMap((chain) => Object.keys(LATE).map((late): Case => [chain, late]));
const NAME = ([chain, late]: Case) => `${chain}: ${late}`;

/** The answers and events of each case. */
async function lateMessages(
  cases: readonly Case[],
  isArchived: boolean,
): Promise<{ told: Map<string, unknown>; archived: number }> {
  const api = await testApi();
  try {
    const client = await api.client();
    const cards = new Map<string, NetworkCard>();
    for (const late of Object.keys(LATE)) {
      const card = await networkCard(api, client, '1000.00');
      await fund(api, card.accountId, '100.00');
      cards.set(late, card);
    }
    const scenes: Scene[] = [];
    for (const [index, [chain, late]] of cases.entries()) {
      const card = cards.get(late)!;
      const scene: Scene = { name: `case-${index}`, api, client, card, references: [], answers: [] };
      for (const step of CHAINS[chain]!) await step(scene);
      scenes.push(scene);
    }
    await api.database.query('select advance_product_offset($1)', [200 * DAY]);
    const [row] = await api.database.query<{ at: Date }>(`select product_now() - interval '101 days' as at`);
    const archived = isArchived
      ? (await archiveChains(api.database, row!.at, async () => undefined)).chains
      : 0;
    const told = new Map<string, unknown>();
    for (const [index, each] of cases.entries())
      told.set(NAME(each), await toldLate(scenes[index]!, each[1]));
    expect(await checkLedger(api.database)).toEqual([]);
    return { told, archived };
  } finally {
    await api.close();
  }
}

/** Sends the late messages. @returns the answers of the case, and what the late messages have written */
async function toldLate(scene: Scene, late: string): Promise<unknown> {
  const { database } = scene.api;
  const [last] = await database.query<{ number: string }>(
    'select coalesce(max(number), 0) as number from events',
  );
  for (const step of LATE[late]!) await step(scene);
  const events = await database.query(
    'select event, type, subtype, reference_id, data from events where number > $1 order by number',
    [last!.number],
  );
  const chains = await database.query(
    `select authorized, settled, reversed, refunded, fee_held, closed from
       (select * from authorizations union all
        select * from archived_authorizations z where not exists (select from authorizations where id = z.id)) a
      where reference_id = any($1) order by id`,
    [scene.references],
  );
  return comparable({
    answers: scene.answers,
    events,
    chains,
    balance: await cardBalance(scene.client, scene.card.id),
  });
}

describe('the whole table', () => {
  let kept: Map<string, unknown>;
  let archived: Map<string, unknown>;
  beforeAll(async () => {
    const [one, other] = [await lateMessages(ALL, false), await lateMessages(ALL, true)];
    kept = one.told;
    archived = other.told;
    expect(other.archived).toBe(ALL.length);
  }, 600_000);

  it.each(ALL)('%s: %s', (...each) => expect(archived.get(NAME(each))).toEqual(kept.get(NAME(each))));
});
