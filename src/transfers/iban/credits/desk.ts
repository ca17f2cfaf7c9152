import { type Desk, defineDesk } from '../../../process/desk/desk';
import { columnsOf } from '../../../process/desk/list';
import { record } from '../../../process/desk/record';
import type { Services } from '../../../services';
import { openTransfers } from '../../engine/desk';
import { transferStory } from '../../engine/story';
import { ibanCreditKind } from './kind';
import { type IbanCredit, OPEN_CREDIT_STATUSES } from './rules';

const columns = columnsOf<IbanCredit>();

export function ibanCreditDesk(services: Pick<Services, 'database' | 'now'>): Desk {
  const open = openTransfers(services, {
    name: 'iban-credits',
    kind: ibanCreditKind,
    open: OPEN_CREDIT_STATUSES,
    columns: {
      amount: columns.money('amount', ({ transfer: { terms } }) => terms),
    },
  });
  return defineDesk({
    name: 'iban-credit',
    title: 'Payments to virtual IBANs',
    lists: [open.list],
    records: [
      record({
        kind: 'ibanCredit',
        title: 'A payment to a virtual IBAN',
        story: (id, limit) => transferStory(services, ibanCreditKind, { id, limit }),
      }),
    ],
    figures: open.figures,
  });
}
