import type { Tx } from '../../kernel/db/database';
import type { CardWord, ClosureWord, TokenizationWord } from '../../parties/card-processor/word';
import { type HeardOrder, noteHeard, type OrderName } from '../../parties/orders/told-orders';
import { openBreaksOf, syncBreaks } from '../../process/breaks/operations';
import type { Card } from './record';
import { isClosed } from './rules';
import type { Tokenization } from './tokenization-store';

/** The card processor says otherwise than what has become of an order here: it has passed when it says the same. */
export const CONTRADICTED = 'card_order_contradicted';

type Said = 'unknown_to_party' | { version?: number | undefined; status: string };

export interface HeardWord {
  order: OrderName;
  /** What it is shown at. */
  cardId: string;
  word: Said;
  /** What had been heard, as it stood before the processor was asked. */
  before: HeardOrder;
  /** How the word contradicts what has become of the order here; nothing where it does not. */
  contradiction: string | undefined;
  /** Its order has ended here. */
  hasEnded: boolean;
  at: Date;
}

/**
 * Notes that the processor was heard about an order, and shows a person where it contradicts what has become of it here. One that
 * it does not know, or no longer, and a state older than one that was heard, say nothing of it; nor does `processing` of one that
 * has ended, unless it is known to be newer: it is on its way for longer. The card's row is locked.
 */
export async function noteWord(tx: Tx, heard: HeardWord): Promise<void> {
  const { order, cardId, word, before, contradiction, hasEnded, at } = heard;
  const version = word === 'unknown_to_party' ? undefined : word.version;
  await noteHeard(tx, order, before, version);
  if (word === 'unknown_to_party' || saysNothing(word, before, hasEnded)) return;
  const open = (await openBreaksOf(tx, cardId)).filter(
    ({ kind, detail }) => kind === CONTRADICTED && detail.startsWith(`${order.ref}: `),
  );
  const wanted =
    contradiction === undefined ? [] : [{ kind: CONTRADICTED, detail: `${order.ref}: ${contradiction}` }];
  await syncBreaks(tx, { tenantId: order.tenantId, subject: cardId, open, wanted, notices: [], at });
}

/** Versions are compared where both are known. */
function saysNothing(
  { status, version }: Exclude<Said, 'unknown_to_party'>,
  { version: heard }: HeardOrder,
  hasEnded: boolean,
): boolean {
  const areKnown = version !== undefined && heard !== null;
  if (hasEnded && status === 'processing') return !(areKnown && version > heard);
  return areKnown && version < heard;
}

const says = (here: string, there: string) => `${here}, and the processor says ${there}`;

/** Of a card whose issuance has ended. */
export function againstIssuance(
  { status, processorReference }: Card,
  word: CardWord | 'unknown_to_party',
): string | undefined {
  if (status === 'pending' || word === 'unknown_to_party') return undefined;
  if (status === 'failed') return word.status === 'failed' ? undefined : says(status, word.status);
  if (word.status !== 'issued') return says('issued', word.status);
  return word.reference === processorReference ? undefined : says('issued', 'issued as another card');
}

/** Of a card that is not closed here, or whose closure was confirmed. */
export function againstClosure(
  { status, processorClosedAt }: Card,
  word: ClosureWord | 'unknown_to_party',
): string | undefined {
  if (word === 'unknown_to_party') return undefined;
  if (!isClosed(status)) return says(status, word.status);
  return processorClosedAt !== null && word.status !== 'closed' ? says('closed', word.status) : undefined;
}

export function againstTokenization(
  { status }: Tokenization,
  word: TokenizationWord | 'unknown_to_party',
): string | undefined {
  if (status === 'pending' || word === 'unknown_to_party') return undefined;
  return status === word.status ? undefined : says(status, word.status);
}
