import { createProcessorLine } from '../../../src/cards/processor/answer-message';
import { Decimal } from '../../../src/kernel/money/money';
import { isChallengeMessage, readProcessorMessage } from '../../../src/parties/card-processor/message';
import { SIGNATURE_HEADER, signMessage } from '../../../src/parties/protocol/signature';
import { partySecret } from '../../../src/parties/sandbox/mount';
import { type Answer, type Client, type TestApi } from '../../support/api';
import { cardholder, fund, type TestCard, tell } from '../../support/cards';

export const MESSAGES = '/processor/v1/messages';

export interface NetworkCard extends TestCard {
  /** The processor's reference of the card. */
  reference: string;
}

let cards = 0;

/** An active card with an amount, and a reference of its own at the processor. */
export async function networkCard(
  api: TestApi,
  client: Client,
  amount = '100.00',
  bin?: string,
  currency?: string,
): Promise<NetworkCard> {
  const holder = await cardholder(client, bin, currency);
  await fund(api, holder.accountId, new Decimal(amount).plus(50).toFixed(2));
  const { userId, accountId, cardholderId } = holder;
  const asked = await client.call('POST', '/v1/cards', { userId, accountId, cardholderId, amount });
  if (asked.status !== 201) throw new Error(`no card: ${asked.text}`);
  const reference = `prc-${(cards += 1)}-${asked.body.id}`;
  const processor = { reference, last4: '4242', expiryMonth: 12, expiryYear: 2031 };
  await tell(api, { type: 'issue', cardId: asked.body.id, reach: null, processor });
  return { id: asked.body.id, ...holder, reference };
}

let messages = 0;
export const nextName = (what: string): string => `${what}-${(messages += 1)}`;

export const START = new Date('2026-01-31T12:00:00.000Z').getTime();

/** A message with all required fields. `sent` is the minute at which it was sent. */
export function messageOf(
  card: Pick<NetworkCard, 'reference'>,
  { sent = 0, ...given }: Record<string, unknown> & { type: string; sent?: number },
): Record<string, unknown> {
  return {
    messageId: nextName('m'),
    cardReference: card.reference,
    currency: 'USD',
    networkReference: 'network-1',
    sentAt: new Date(START + sent * 60_000).toISOString(),
    ...given,
  };
}

/** Sends a message as the card processor does. */
export function send(
  api: Pick<TestApi, 'call' | 'services'>,
  message: Record<string, unknown>,
  { secret = partySecret(api.services.keyring, 'card-processor'), at = new Date() } = {},
): Promise<Answer> {
  const raw = Buffer.from(JSON.stringify(message));
  return api.call('POST', MESSAGES, raw, { [SIGNATURE_HEADER]: signMessage(raw, secret, at) });
}

/** A card about which messages are sent, each answered 200. */
export function lineOf(api: TestApi, card: NetworkCard) {
  return async (given: Parameters<typeof messageOf>[1]) => {
    const answer = await send(api, messageOf(card, given));
    if (answer.status !== 200) throw new Error(`${given.type}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
}

export async function breaksOf(api: TestApi, kind: string) {
  const rows = await api.database.query<{
    subject: string;
    detail: string;
    amount: string | null;
    currency: string | null;
  }>('select subject, detail, amount::text, currency from breaks where kind = $1 order by created_at, id', [
    kind,
  ]);
  return rows.map(({ amount, ...row }) => ({ ...row, amount: amount && new Decimal(amount).toFixed(2) }));
}

/** Sends the same message to another, new process of the API. */
export function sendElsewhere(api: TestApi, message: Record<string, unknown>) {
  const read = readProcessorMessage(Buffer.from(JSON.stringify(message)));
  if (isChallengeMessage(read)) throw new Error('a message about a challenge is answered by its own line');
  return createProcessorLine(api.services).answer(read);
}
