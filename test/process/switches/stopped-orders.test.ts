import { closeAtProcessor } from '../../../src/cards/orders/closure';
import { orderCard } from '../../../src/cards/orders/issuance';
import { tokenizeAtProcessor } from '../../../src/cards/orders/tokenization';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { Decimal } from '../../../src/kernel/money/money';
import type { Party } from '../../../src/kernel/parties';
import { PartyStopped } from '../../../src/process/party-errors';
import { refundDeposit } from '../../../src/transfers/deposits/decide';
import { issuedCard, requestedCard } from '../../cards/cards/support';
import { decide, pending, setReview, steps } from '../../people/cardholders/support';
import { DECIDED_AT_ONCE, type TestApi, testApi } from '../../support/api';
import { type Switchable, switchable } from '../../support/switchable';
import {
  completed,
  type DepositWorld,
  depositWorld,
  look,
  payable,
  read,
} from '../../transfers/deposits/support';

/** A party is stopped during a step: between the read of the switches and the order of that step. */

type Services = TestApi['services'];

/** Stops the party after the answer to that call. @returns restores the party */
function stoppedAfter<P extends Party & keyof Services['parties'], Call extends keyof Services['parties'][P]>(
  { services }: TestApi,
  { stop }: { stop(party: Party): Promise<void> },
  party: P,
  call: Call,
): () => void {
  const own = services.parties[party];
  const asked = own[call] as (...given: unknown[]) => Promise<unknown>;
  const wrapped = async (...given: unknown[]) => {
    const answer = await asked(...given);
    await stop(party);
    return answer;
  };
  services.parties[party] = { ...own, [call]: wrapped };
  return () => void (services.parties[party] = own);
}

describe('an order of the sandbox’s parties', () => {
  let api: TestApi;
  let client: Awaited<ReturnType<TestApi['client']>>;
  let switches: Switchable;
  beforeAll(async () => {
    api = await testApi(DECIDED_AT_ONCE);
    client = await api.client();
    switches = switchable(api);
  });
  afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
  afterAll(() => api.close());

  it('of a card waits while the processor is stopped', async () => {
    const { id } = await requestedCard(api, client);
    const made = () => api.database.query('select 1 from sandbox_orders where key = $1', [`issue-${id}`]);
    const restore = stoppedAfter(api, switches, 'cardProcessor', 'issuance');
    await expect(orderCard(api.services, id)).rejects.toThrow(PartyStopped);
    expect(await made()).toHaveLength(0);
    restore();
    await expect(orderCard(api.services, id)).rejects.toThrow(PartyStopped);
    await switches.start('cardProcessor');
    expect([await orderCard(api.services, id), (await made()).length]).toEqual(['active', 1]);
  });

  it('of a card is still read when the stopped processor has it', async () => {
    const { id } = await requestedCard(api, client, { label: 'sandbox:timeout' });
    expect(await orderCard(api.services, id)).toBe('unknown');
    await switches.stop('cardProcessor');
    expect(await orderCard(api.services, id)).toBe('active');
    await switches.start('cardProcessor');
  });

  it('of a closure or a wallet’s token waits while the processor is stopped', async () => {
    const { id } = await issuedCard(api, client);
    const asked = await client.call('POST', `/v1/cards/${id}/tokenize`, { wallet: 'apple_pay' });
    const tokenize = () => tokenizeAtProcessor(api.services, asked.body.id as string);
    let restore = stoppedAfter(api, switches, 'cardProcessor', 'tokenization');
    await expect(tokenize()).rejects.toThrow(PartyStopped);
    restore();
    await switches.start('cardProcessor');
    expect(await tokenize()).toBe('completed');
    await client.call('DELETE', `/v1/cards/${id}`);
    restore = stoppedAfter(api, switches, 'cardProcessor', 'closure');
    await expect(closeAtProcessor(api.services, id)).rejects.toThrow(PartyStopped);
    restore();
    await switches.start('cardProcessor');
    expect(await closeAtProcessor(api.services, id)).toBe('confirmed');
  });

  it('of a cardholder waits while the reviewer is stopped, and does not count as a failed attempt', async () => {
    await setReview(api, client.clientId, 'manual');
    const { id } = await pending(api, client);
    await decide(api, id, 'approved');
    const { documents } = api.services.parties;
    // The person's documents are read between the check of the switches and the order.
    api.services.parties.documents = {
      ...documents,
      get: async (...given) => {
        const content = await documents.get(...given);
        await switches.stop('cardholderReview');
        return content;
      },
    };
    const { submit } = steps(api.services);
    expect(await submit(id)).toBe('unknown');
    api.services.parties.documents = documents;
    const handedIn = `select key from sandbox_orders where party = 'cardholder-review'`;
    expect(await api.database.query(handedIn)).toEqual([]);
    const sent = 'select submission_sent as sent from cardholders where id = $1';
    expect(await api.database.query(sent, [id])).toEqual([{ sent: false }]);
    expect(await submit(id)).toBe('unknown');
    await switches.start('cardholderReview');
    expect(await submit(id)).toBe('pass_audit');
  });
});

describe('an order of a transfer', () => {
  let world: DepositWorld;
  beforeAll(async () => {
    world = await depositWorld();
  });
  afterAll(() => world.close());

  it('is not repeated while the party is stopped, when the party has lost it', async () => {
    const { api, double } = world;
    const switches = switchable(api);
    const { id, session } = await payable(world);
    double.forget(session.sessionId);
    const restore = stoppedAfter(api, switches, 'checkout', 'ask');
    await expect(look(world, id)).rejects.toThrow(PartyStopped);
    expect(double.sessions()).toEqual([]);
    restore();
    await switches.start('checkout');
    await look(world, id);
    expect(double.sessions()).toHaveLength(1);
  });

  it('that follows another waits, while the state of the first one is applied', async () => {
    const { api } = world;
    const switches = switchable(api);
    const deposit = await completed(world);
    for (const amount of ['30.00', '20.00'])
      await api.database.transaction((tx) =>
        refundDeposit(api.services, tx, {
          depositId: deposit.id,
          amount: new Decimal(amount),
          requestedBy: 'operator:ada',
        }),
      );
    const restore = stoppedAfter(api, switches, 'checkout', 'refund');
    await expect(look(world, deposit.id)).rejects.toThrow(PartyStopped);
    const refunds = () => deposit.session.refunds.map(({ amount }) => amount);
    expect(refunds()).toEqual(['30.00']);
    expect((await read(world.client, deposit)).refundedAmount).toBe('30.00');
    restore();
    await switches.start('checkout');
    await look(world, deposit.id);
    expect(refunds()).toEqual(['30.00', '20.00']);
    expect((await read(world.client, deposit)).refundedAmount).toBe('50.00');
    expect(await checkLedger(api.database)).toEqual([]);
  });
});
