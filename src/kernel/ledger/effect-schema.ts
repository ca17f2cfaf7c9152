import { z } from 'zod';
import { money } from '../wire/schemas';

const signed = (description: string) => money().meta({ description, examples: ['-35.00'] });

/** The effect of an event on balances: signed decimal strings (`interface.md 3.4`). */
export const effectSchema = z
  .object({
    available: signed('Change of the available balance.'),
    pending: signed('Change of the held amount.'),
    spent: signed('Change of what the card has spent. Always zero for an account.'),
  })
  .meta({
    id: 'BalanceEffect',
    description:
      'Signed changes of the balances, in the currency of the card or account. `amount` is never negative, and the type tells the ' +
      'direction; `effect` states it.',
  });
