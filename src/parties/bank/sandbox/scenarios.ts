import { Decimal } from '../../../kernel/money/money';

/**
 * How the sandbox's bank treats a received payment. Only the amount decides. A payment of any other amount stays, and a
 * return of it succeeds.
 */
export interface BankScenario {
  amount: string;
  /** For docs/sandbox.md: what happens at the bank. */
  effect: string;
  /** Seconds from the payment until the payer's bank recalls it. `recalledShare` is the recalled part. */
  recallSeconds?: number;
  recalledShare?: string;
  /** The code with which the bank refuses a return. */
  returnRefusal?: string;
  /** Seconds from the order of a return to its end. */
  returnSeconds?: number;
  returnFails?: boolean;
  /** Seconds after a successful return until the payer's bank sends the money back. */
  returnUndoneSeconds?: number;
}

export const BANK_SCENARIOS: readonly BankScenario[] = [
  { amount: '801.01', effect: 'The payer’s bank recalls all of it 5 seconds later.', recallSeconds: 5 },
  {
    amount: '801.02',
    effect: 'The payer’s bank recalls 40 % of it 5 seconds later.',
    recallSeconds: 5,
    recalledShare: '0.4',
  },
  {
    amount: '801.03',
    effect: 'A return to the payer is taken, and fails 5 seconds later.',
    returnSeconds: 5,
    returnFails: true,
  },
  {
    amount: '801.04',
    effect: 'A return to the payer is refused: `account_closed`.',
    returnRefusal: 'account_closed',
  },
  { amount: '801.05', effect: 'A return to the payer takes 20 seconds.', returnSeconds: 20 },
  {
    amount: '801.06',
    effect: 'A return to the payer succeeds, and 5 seconds later has failed after all.',
    returnUndoneSeconds: 5,
  },
];

const byAmount = new Map(
  BANK_SCENARIOS.map((scenario) => [new Decimal(scenario.amount).toFixed(), scenario]),
);

export const scenarioOf = (amount: Decimal): Partial<BankScenario> => byAmount.get(amount.toFixed()) ?? {};
