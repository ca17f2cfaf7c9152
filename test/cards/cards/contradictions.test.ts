import { requestTokenization } from '../../../src/cards/cards/tokenization';
import { closeAtProcessor } from '../../../src/cards/orders/closure';
import { orderCard } from '../../../src/cards/orders/issuance';
import { processorOrders } from '../../../src/cards/orders/orders';
import { tokenizeAtProcessor } from '../../../src/cards/orders/tokenization';
import { checkLedger } from '../../../src/kernel/ledger/check';
import type { CardOrder } from '../../../src/parties/card-processor/port';
import { SIGNATURE_HEADER, signMessage } from '../../../src/parties/protocol/signature';
import { partySecret } from '../../../src/parties/sandbox/mount';
import { OutcomeUnknown, PartyAway, PartyRefused } from '../../../src/process/party-errors';
import { type Client, type TestApi, testApi } from '../../support/api';
import { cardBalance } from '../../support/cards';
import { until } from '../../support/until';
import { messageOf, send } from '../processor/support';
import { accountBalance, requestedCard, whileProcessor } from './support';

/**
 * A processor that contradicts the recorded end of an order opens a break. The break closes when the processor agrees
 * again.
 */

let api: TestApi;
let client: Client;
const clock = { at: new Date() };
beforeAll(async () => {
  api = await testApi({ now: () => clock.at });
  client = await api.client();
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(() => api.close());

const later = (seconds: number) => {
  clock.at = new Date(clock.at.getTime() + seconds * 1000);
};
const looks = (workflowId: string) =>
  api.commands.filter((command) => command.workflowId === workflowId && command.action === 'look').length;
const openBreaks = (subject: string) =>
  api.database.query('select kind, detail from breaks where subject = $1 and resolved_at is null', [subject]);
const contradicted = (key: string, said: string) => [
  { kind: 'card_order_contradicted', detail: `${key}: ${said}` },
];

let messages = 0;
async function call(key: string): Promise<number> {
  const raw = Buffer.from(JSON.stringify({ id: `m-${(messages += 1)}`, key }));
  const secret = partySecret(api.services.keyring, 'card-processor');
  const headers = { [SIGNATURE_HEADER]: signMessage(raw, secret, clock.at) };
  return (await api.call('POST', '/callbacks/card-processor', raw, headers)).status;
}

async function activeCard(label?: string): Promise<string> {
  const { id } = await requestedCard(api, client, label === undefined ? {} : { label });
  await orderCard(api.services, id);
  later(1);
  if ((await orderCard(api.services, id)) !== 'active') throw new Error('not active');
  return id;
}

describe('an issuance', () => {
  it('that was refused after an unknown outcome, and is issued by the processor after all', async () => {
    const { id, accountId } = await requestedCard(api, client, { amount: '50.00' });
    const held = await accountBalance(client, accountId);
    let onItsWay: CardOrder | undefined;
    const lost = async (order: CardOrder) => {
      onItsWay = order;
      throw new OutcomeUnknown();
    };
    expect(await whileProcessor(api, { issue: lost }, () => orderCard(api.services, id))).toBe('unknown');
    const refused = () => Promise.reject(new PartyRefused('bin_closed'));
    expect(await whileProcessor(api, { issue: refused }, () => orderCard(api.services, id))).toBe('failed');
    const released = await accountBalance(client, accountId);
    expect(released).not.toBe(held);
    const before = looks(`card-issuance-${id}`);
    await api.services.parties.cardProcessor.issue(onItsWay as CardOrder);
    later(1);
    await until(() => looks(`card-issuance-${id}`) === before + 1); // until the sandbox has called back
    expect(await openBreaks(id)).toEqual([]);
    expect(await orderCard(api.services, id)).toBe('failed');
    expect(await openBreaks(id)).toEqual(
      contradicted(`issue-${id}`, 'failed, and the processor says issued'),
    );
    expect(await accountBalance(client, accountId)).toBe(released);
    // The card works at the processor. The card stays failed here, and its account pays for its authorizations.
    const [{ reference }] = (await api.database.query<{ reference: string }>(
      'select processor_reference as reference from cards where id = $1',
      [id],
    )) as [{ reference: string }];
    const say = (message: Parameters<typeof messageOf>[1]) =>
      send(api, messageOf({ reference }, message), { at: clock.at });
    expect((await say({ type: 'authorization', amount: '20.00' })).body).toMatchObject({ approved: false });
    const cleared = await say({ type: 'clearing', amount: '20.00', sent: 1 });
    expect([cleared.status, cleared.body.unbooked]).toEqual([200, undefined]);
    expect(await cardBalance(client, id)).toBe('0.00 0.00 20.00');
    expect(await accountBalance(client, accountId)).not.toBe(released);
    expect((await client.call('GET', `/v1/cards/${id}`)).body.status).toBe('failed');
  });

  it('that is issued here and failed there, or issued as another card: shown until both agree', async () => {
    const id = await activeCard();
    const said = async (word: object) =>
      whileProcessor(api, { issuance: async () => word as never }, () => orderCard(api.services, id));
    expect(await said({ version: 3, status: 'failed', failureCode: 'fraud' })).toBe('active');
    expect(await openBreaks(id)).toEqual(
      contradicted(`issue-${id}`, 'issued, and the processor says failed'),
    );
    const another = {
      status: 'issued',
      reference: 'prc-other',
      last4: '1111',
      expiryMonth: 1,
      expiryYear: 2031,
    };
    await said({ version: 4, ...another });
    expect(await openBreaks(id)).toEqual(
      contradicted(`issue-${id}`, 'issued, and the processor says issued as another card'),
    );
    const own = await api.services.parties.cardProcessor.issuance(`issue-${id}`);
    await said({ ...(own as object), version: 3 }); // an older state changes nothing
    expect(await openBreaks(id)).toHaveLength(1);
    await said('unknown_to_party' as never);
    expect(await openBreaks(id)).toHaveLength(1);
    await said({ ...(own as object), version: 5 });
    expect(await openBreaks(id)).toEqual([]);
  });

  it('decided by two concurrent steps: shown when the later answer differs', async () => {
    const { id } = await requestedCard(api, client);
    const issued = { status: 'issued', reference: 'prc-1', last4: '1111', expiryMonth: 1, expiryYear: 2031 };
    const meanwhile = async () => {
      const refused = () => Promise.reject(new PartyRefused('bin_closed'));
      await whileProcessor(api, { issue: refused, issuance: async () => 'unknown_to_party' }, () =>
        orderCard(api.services, id),
      );
      return issued as never;
    };
    expect(await whileProcessor(api, { issue: meanwhile }, () => orderCard(api.services, id))).toBe('failed');
    expect(await openBreaks(id)).toHaveLength(1);
  });
});

it('shows a closure of a card that is open here, until the card is closed here too', async () => {
  const id = await activeCard();
  const [row] = await api.database.query<{ reference: string }>(
    'select processor_reference as reference from cards where id = $1',
    [id],
  );
  const order = { key: `close-${id}`, reference: String(row?.reference), callbackUrl: api.url };
  await api.services.parties.cardProcessor.close(order);
  expect(await call(order.key)).toBe(200);
  expect(looks(`card-closure-${id}`)).toBe(1);
  expect(await closeAtProcessor(api.services, id)).toBe('open');
  expect(await openBreaks(id)).toEqual(contradicted(order.key, 'active, and the processor says closed'));
  await client.call('DELETE', `/v1/cards/${id}`);
  expect(await closeAtProcessor(api.services, id)).toBe('confirmed');
  expect(await openBreaks(id)).toEqual([]);
  const reopened = async () => ({ version: 9, status: 'processing' }) as const;
  expect(await whileProcessor(api, { closure: reopened }, () => closeAtProcessor(api.services, id))).toBe(
    'confirmed',
  );
  expect(await openBreaks(id)).toEqual(contradicted(order.key, 'closed, and the processor says processing'));
});

it('shows a token for a wallet that was refused here', async () => {
  const cardId = await activeCard('sandbox:tokenize-refuse');
  const { id } = await api.database.transaction((tx) =>
    requestTokenization(api.services, tx, { reach: null }, cardId, 'apple_pay'),
  );
  expect(await tokenizeAtProcessor(api.services, id)).toBe('failed');
  expect(await openBreaks(cardId)).toEqual([]);
  const given = async () => ({ version: 2, status: 'completed' }) as never;
  expect(
    await whileProcessor(api, { tokenization: given }, () => tokenizeAtProcessor(api.services, id)),
  ).toBe('failed');
  expect(await openBreaks(cardId)).toEqual(
    contradicted(`tokenize-${id}`, 'failed, and the processor says completed'),
  );
  const refused = async () => ({ version: 3, status: 'failed' }) as never;
  await whileProcessor(api, { tokenization: refused }, () => tokenizeAtProcessor(api.services, id));
  expect(await openBreaks(cardId)).toEqual([]);
  // The answer was on its way when the order ended. An answer that may be older contradicts nothing.
  for (const late of [{ status: 'processing' }, { version: 3, status: 'processing' }]) {
    const word = async () => late as never;
    await whileProcessor(api, { tokenization: word }, () => tokenizeAtProcessor(api.services, id));
    expect(await openBreaks(cardId)).toEqual([]);
  }
  const newer = async () => ({ version: 4, status: 'processing' }) as never;
  await whileProcessor(api, { tokenization: newer }, () => tokenizeAtProcessor(api.services, id));
  expect(await openBreaks(cardId)).toHaveLength(1);
});

it('asks the processor about each callback, even if Temporal has lost the workflow', async () => {
  const id = await activeCard();
  const overdue = async () => {
    const before = new Date(clock.at.getTime() - 5 * 60_000);
    const found = await processorOrders.processes.stale(api.database, before, 1_000, []);
    return found.map(({ workflowId, action }) => `${action} ${workflowId}`);
  };
  await call(`issue-${id}`);
  later(6 * 60);
  expect(await overdue()).toContain(`look card-issuance-${id}`);
  const shown = await processorOrders.processes.records(api.database, clock.at, { limit: 100 });
  expect(shown).toContainEqual(expect.objectContaining({ id, workflowId: `card-issuance-${id}` }));
  const away = () => Promise.reject(new PartyAway());
  await expect(whileProcessor(api, { issuance: away }, () => orderCard(api.services, id))).rejects.toThrow(
    PartyAway,
  );
  expect(await overdue()).toContain(`look card-issuance-${id}`);
  // A second callback arrives while the processor is asked. That answer may be older.
  const { issuance } = api.services.parties.cardProcessor;
  const toldMeanwhile = async (key: string) => {
    const word = await issuance(key);
    await call(key);
    return word;
  };
  await whileProcessor(api, { issuance: toldMeanwhile }, () => orderCard(api.services, id));
  later(6 * 60);
  expect(await overdue()).toContain(`look card-issuance-${id}`);
  // The sandbox may call back about the same order while it is asked, so it is asked again.
  await until(async () => {
    await orderCard(api.services, id);
    return !(await overdue()).includes(`look card-issuance-${id}`);
  });
});
