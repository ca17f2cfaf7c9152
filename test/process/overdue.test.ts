import { startClosure, startIssuance, startTokenization } from '../../src/cards/cards/workflows';
import { lookAtCardholder, startSubmission } from '../../src/people/cardholders/workflows';
import { lookAtReview, startReview } from '../../src/people/kyc/workflows';
import { type OverdueQuery, reconcilable } from '../../src/process/overdue';
import { processOfRecord } from '../../src/process/workflow-command';
import { depositKind } from '../../src/transfers/deposits/kind';
import { DISCOVERIES } from '../../src/transfers/discover';
import { exchangeOrderKind } from '../../src/transfers/exchange/orders/kind';
import { CARD_KINDS } from '../../src/transfers/external-cards/kind';
import { ibanCreditKind } from '../../src/transfers/iban/credits/kind';
import { ibanPayoutKind } from '../../src/transfers/iban/payouts/kind';
import { payoutKind } from '../../src/transfers/payouts/kind';

const record = { id: 'x_1', tenantId: 'cli_1', partyRef: null };
const review = { userId: 'usr_1', submission: 2, tenantId: 'cli_1' };
const { topup, withdrawal } = CARD_KINDS;

const SUBMISSION = 'Cardholder review and submission';
const TOPUP = 'Top-up from a payment card';
const WITHDRAWAL = 'Withdrawal to a payment card';

// Running workflows use these ids, types and arguments, so none of them may change.
it.each([
  [startIssuance(record), 'cardIssuance', 'start', 'card-issuance-x_1', 'Card issuance'],
  [startClosure(record), 'cardClosure', 'start', 'card-closure-x_1', 'Card closure at the processor'],
  [startTokenization(record), 'cardTokenization', 'start', 'card-tokenization-x_1', 'Card tokenization'],
  [startSubmission(record), 'cardholderSubmission', 'start', 'cardholder-submission-x_1', SUBMISSION],
  [lookAtCardholder(record), 'cardholderSubmission', 'look', 'cardholder-submission-x_1', SUBMISSION],
  [
    depositKind.process.start(record),
    'depositLifecycle',
    'start',
    'deposit-x_1',
    'Deposit by hosted checkout',
  ],
  [depositKind.process.look(record), 'depositLifecycle', 'look', 'deposit-x_1', 'Deposit by hosted checkout'],
  [payoutKind.process.start(record), 'payoutLifecycle', 'start', 'payout-lifecycle-x_1', 'Payout'],
  [payoutKind.process.look(record), 'payoutLifecycle', 'look', 'payout-lifecycle-x_1', 'Payout'],
  [
    ibanPayoutKind.process.start(record),
    'ibanPayout',
    'start',
    'iban-payout-x_1',
    'Payout from a virtual IBAN',
  ],
  [
    ibanPayoutKind.process.look(record),
    'ibanPayout',
    'look',
    'iban-payout-x_1',
    'Payout from a virtual IBAN',
  ],
  [topup.process.start(record), 'externalCardTransfer', 'start', 'card-topup-x_1', TOPUP],
  [withdrawal.process.look(record), 'externalCardTransfer', 'look', 'card-withdrawal-x_1', WITHDRAWAL],
  [exchangeOrderKind.process.start(record), 'exchangeOrder', 'start', 'exchange-order-x_1', 'Exchange order'],
])('builds the command of a record: %#', (command, workflow, action, workflowId, summary) => {
  expect(command).toStrictEqual({
    workflow,
    workflowId,
    taskQueue: 'processes',
    action,
    args: ['x_1'],
    tenantId: 'cli_1',
    summary,
  });
});

it('names a review by its user and its submission', () => {
  const command = {
    workflow: 'kycReview',
    workflowId: 'kyc-review-usr_1-2',
    taskQueue: 'processes',
    args: ['usr_1', 2],
    tenantId: 'cli_1',
    summary: 'KYC review, submission 2',
  };
  expect(startReview(review)).toStrictEqual({ ...command, action: 'start' });
  expect(lookAtReview(review)).toStrictEqual({ ...command, action: 'look' });
});

it('names a discovery without a record by the party’s id, without a tenant', () => {
  expect(DISCOVERIES.checkout?.process.look({ partyRef: 'cs_1' })).toStrictEqual({
    workflow: 'checkoutPayment',
    workflowId: 'checkout-payment-cs_1',
    taskQueue: 'processes',
    action: 'look',
    args: ['cs_1'],
    summary: 'A checkout session without a deposit',
  });
  expect(ibanCreditKind.process.start({ id: 'ibc_1', tenantId: null, partyRef: 'sbp-1' })).toStrictEqual({
    workflow: 'ibanCredit',
    workflowId: 'iban-credit-sbp-1',
    taskQueue: 'processes',
    action: 'start',
    args: ['sbp-1'],
    summary: 'Credit to a virtual IBAN',
  });
});

it('skips overdue records whose workflows were started lately', async () => {
  const spec = (prefix: string) => processOfRecord({ workflow: 'w', prefix, summary: 's' });
  const [order, closing] = [spec('order-'), spec('closing-')];
  const asked: OverdueQuery[] = [];
  const { stale } = reconcilable({
    name: 'orders',
    processes: [order, closing],
    overdue: {
      async due(_, query) {
        asked.push(query);
        return [record];
      },
      list: async () => [],
      count: async () => ({ count: 0, oldestSeconds: 0 }),
    },
    drive: order.look,
  });
  const before = new Date();
  const commands = await stale(undefined as never, before, 7, ['order-a', 'closing-b', 'payout-c']);
  expect(asked).toEqual([{ before, limit: 7, except: ['a', 'b'] }]);
  expect(commands).toEqual([order.look(record)]);
});
