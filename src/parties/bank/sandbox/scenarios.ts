import { Decimal } from '../../../kernel/money/money';

/**
 * What the sandbox's bank does with a payment that it has received: decided by its amount and by nothing else. Any other
 * amount stays, and goes back to its payer when it is ordered to.
 */
export interface BankScenario {
  amount: string;
  /** For docs/sandbox.md: what happens at the bank. */
  effect: string;
  /** Seconds from the payment until the payer's bank takes it back, and which part of it. */
  recallSeconds?: number;
  recalledShare?: string;
  /** Why a return that we order is refused. */
  returnRefusal?: string;
  /** Seconds from the order of a return to its end. */
  returnSeconds?: number;
  returnFails?: boolean;
  /** Seconds after a return has succeeded until the payer's bank sends it back. */
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
