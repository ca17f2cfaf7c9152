import { type Desk, defineDesk } from '../../process/desk/desk';
import { columnsOf, type Money } from '../../process/desk/list';
import { record } from '../../process/desk/record';
import type { Services } from '../../services';
import { openTransfers } from '../engine/desk';
import { readSituation } from '../engine/read';
import { transferStory } from '../engine/story';
import { cardTopupKind, cardWithdrawalKind } from './kind';
import { type CardTransfer, OPEN_CARD_STATUSES } from './order-rules';

const columns = columnsOf<CardTransfer>();

const amountOf = ({ transfer: { terms } }: CardTransfer): Money => ({
  amount: terms.amount,
  currency: terms.currency,
});

/** The desk of top-ups. Top-ups and withdrawals share a sort of id, so that the record here shows both. */
export function topupDesk(services: Pick<Services, 'database' | 'now'>): Desk {
  const { database, now } = services;
  const open = openTransfers(services, {
    name: 'topups',
    kind: cardTopupKind,
    open: OPEN_CARD_STATUSES,
    columns: { amount: columns.money('amount', amountOf) },
  });
  return defineDesk({
    name: 'topup',
    title: 'Top-ups from payment cards',
    lists: [open.list],
    records: [
      record({
        kind: 'externalCardTransaction',
        title: 'A top-up from a payment card, or a withdrawal to one',
        async story(id, limit) {
          const topup = await readSituation(database, cardTopupKind, id, now());
          return transferStory(services, topup ? cardTopupKind : cardWithdrawalKind, { id, limit });
        },
      }),
    ],
    figures: open.figures,
  });
}
