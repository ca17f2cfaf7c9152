import { z } from 'zod';
import { conflict } from '../../kernel/errors';
import { moneyText } from '../../kernel/money/money';
import type { PayoutRecalls, RecallState } from '../../parties/payouts/port';
import { type Decision, decision, type SubjectSpec } from '../../process/desk/decision';
import { PartyRefused } from '../../process/party-errors';
import type { Services } from '../../services';
import type { Payout } from './record';

/** Why a payout is asked back: codes of ISO 20022. */
const RECALL_CODES = ['CUST', 'DUPL', 'TECH', 'FRAD'] as const;
type RecallCode = (typeof RECALL_CODES)[number];

/** A refusal of the party in words. */
const REFUSALS: Readonly<Record<string, string>> = {
  not_found: 'The bank has no order of this payout.',
  not_sent: 'The payout has not left, so there is nothing to ask back.',
  recall_asked: 'The payout was asked back already.',
  returned: 'The payout has come back.',
};

type Deps = Pick<Services, 'database' | 'parties'>;

/** The party's name of the order. */
const keyOf = ({ transfer: { id, partyRef } }: Payout): string => partyRef ?? id;

/** The port of a party that is left out lists no members. */
const recallsOf = ({ parties: { payouts } }: Pick<Services, 'parties'>): PayoutRecalls | undefined =>
  'recalls' in payouts ? payouts.recalls : undefined;

/** How far the request to give the payout back is. Null: nobody has asked, or the party takes no requests. */
export const recallStateOf = async (services: Deps, payout: Payout): Promise<RecallState | null> =>
  (await recallsOf(services)?.state(services.database, keyOf(payout))) ?? null;

/**
 * Asks the payee's bank to give a payout back. No money moves: the books follow the payment that comes back. The amount
 * counts against the limits of one operator, as a correction's does.
 */
export function recallDecision(
  services: Deps,
  { noun, subject }: { noun: string; subject: SubjectSpec<Payout> },
): Decision {
  return decision<Payout, { code?: RecallCode | undefined }>({
    name: `${noun}.recall`,
    title: "asks the payee's bank to give the payout back; the account gets the money when it comes",
    permission: 'money',
    subject,
    input: z.strictObject({
      code: z.enum(RECALL_CODES).optional().meta({
        description:
          "The reason for the bank. CUST: the customer's wish, which holds without an option. DUPL: paid twice. TECH: a fault. FRAD: fraud.",
      }),
    }),
    restsOn: ({ transfer: { status, word } }) => ({ status, reported: word?.version ?? null }),
    weigh: async (_, { subject: payout }) => ({ ...receivedOf(payout), ever: true }),
    async preview(tx, { subject: payout }) {
      await byParty(services, (recalls) => recalls.assertAskable(tx, keyOf(payout)));
      return [{ field: 'asked back', from: null, to: moneyText(receivedOf(payout)) }];
    },
    async execute(tx, { id, subject: payout, input: { code = 'CUST' } }) {
      await byParty(services, (recalls) => recalls.ask(tx, { key: keyOf(payout), reason: code }));
      return { after: { recall: 'asked', code }, result: { id, recall: 'asked', code } };
    },
  });
}

const receivedOf = ({ transfer: { terms } }: Payout) => ({
  amount: terms.receivedAmount,
  currency: terms.receivedCurrency,
});

/** Calls the party. @throws Problem 409 `invalid_transition` where the party takes no request, or none for this payout */
async function byParty(services: Deps, call: (recalls: PayoutRecalls) => Promise<void>): Promise<void> {
  const recalls = recallsOf(services);
  if (!recalls)
    throw conflict('invalid_transition', 'The payouts party takes no recalls. Only a bank by files does.');
  try {
    await call(recalls);
  } catch (error) {
    if (!(error instanceof PartyRefused)) throw error;
    throw conflict('invalid_transition', REFUSALS[error.code] ?? error.code);
  }
}
