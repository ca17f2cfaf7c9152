import { checkLedger } from '../../../src/kernel/ledger/check';
import { type Client, type TestApi, testApi } from '../../support/api';
import { cardBalance } from '../../support/cards';
import {
  breaksOf,
  lineOf,
  messageOf,
  type NetworkCard,
  networkCard,
  nextName,
  send,
  sendElsewhere,
} from './support';

let api: TestApi;
let client: Client;
let card: NetworkCard;
let say: ReturnType<typeof lineOf>;
beforeAll(async () => {
  api = await testApi();
  client = await api.client();
});
beforeEach(async () => {
  card = await networkCard(api, client, '100.00');
  say = lineOf(api, card);
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(() => api.close());

describe('a message about an unknown card', () => {
  it.each(['clearing', 'reversal', 'refund', 'advice'])(
    'stores and answers a %s, and shows its amount in a break',
    async (type) => {
      const reference = nextName('nobody');
      const message = messageOf({ reference }, { type, amount: '12.00' });
      const answer = await send(api, message);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ referenceId: expect.stringMatching(/^ref_/), unbooked: 'unknown_card' });
      expect((await send(api, message)).text).toBe(answer.text);
      const shown = (await breaksOf(api, 'processor_card_unknown')).filter(
        ({ subject }) => subject === reference,
      );
      expect(shown).toEqual([
        {
          subject: reference,
          detail: `${type} ${String(message['messageId'])}`,
          amount: '12.00',
          currency: 'USD',
        },
      ]);
      const [kept] = await api.database.query<{ message: object }>(
        'select message from processor_messages where message_id = $1',
        [message['messageId']],
      );
      expect(kept?.message).toEqual({ ...message, amount: '12' });
    },
  );

  it('is declined, and shown once however often it is repeated', async () => {
    const reference = nextName('nobody');
    for (let time = 0; time < 3; time += 1) {
      const answer = await send(api, messageOf({ reference }, { type: 'authorization', amount: '5.00' }));
      expect(answer.body).toMatchObject({ approved: false, declineReason: 'unknown_card' });
    }
    const shown = (await breaksOf(api, 'processor_card_unknown')).filter(
      ({ subject }) => subject === reference,
    );
    expect(shown).toEqual([
      { subject: reference, detail: 'authorizations, declined', amount: null, currency: null },
    ]);
  });

  it('is a message whose reference two cards have', async () => {
    const other = await networkCard(api, client, '1.00');
    await api.database.query('update cards set processor_reference = $1 where id = $2', [
      card.reference,
      other.id,
    ]);
    expect(await say({ type: 'authorization', amount: '1.00' })).toMatchObject({
      declineReason: 'unknown_card',
    });
  });

  it('keeps its answer after the card has become known', async () => {
    const reference = nextName('later');
    const message = messageOf({ reference }, { type: 'refund', amount: '5.00' });
    const first = await send(api, message);
    await api.database.query('update cards set processor_reference = $1 where id = $2', [reference, card.id]);
    expect((await send(api, message)).text).toBe(first.text);
    expect((await sendElsewhere(api, message)).body).toBe(first.text);
    expect(await cardBalance(client, card.id)).toBe('100.00 0.00 0.00');
  });
});
