import { randomUUID } from 'node:crypto';
import type { Tx } from '../../../kernel/db/database';
import { Decimal, roundTo } from '../../../kernel/money/money';
import { storeUnordered } from '../../sandbox/orders/orders';
import { secondsAfter } from '../../sandbox/time';
import type { BankRemitter } from '../word';
import { creditBook } from './credit';
import type { AskedCredit, SandboxReturn } from './record';
import { scenarioOf } from './scenarios';

export interface SandboxPayment extends AskedCredit {
  /** Default: a payer of the sandbox. */
  remitter?: BankRemitter | undefined;
  /** Sends no callback, so that the payment is found only by asking. */
  mute: boolean;
}

const PAYER: BankRemitter = { name: 'Sandbox Payer' };

/** Receives a payment from outside. The callback goes out after the commit. @returns the bank's id of the payment */
export async function receivePayment(
  tx: Tx,
  { mute, remitter = PAYER, ...asked }: SandboxPayment,
  { callbackUrl, at }: { callbackUrl: string; at: Date },
): Promise<string> {
  const id = `sbp-${randomUUID()}`;
  const given = {
    key: id,
    callbackUrl: mute ? null : callbackUrl,
    asked,
    state: { remitter, returns: recallsOf(asked, at) },
  };
  await storeUnordered(tx, creditBook, given, at);
  return id;
}

/** The recall that the payment's amount plans. */
function recallsOf({ amount, currency }: AskedCredit, receivedAt: Date): SandboxReturn[] {
  const { recallSeconds, recalledShare = '1' } = scenarioOf(amount);
  if (recallSeconds === undefined) return [];
  const at = secondsAfter(receivedAt, recallSeconds);
  return [
    {
      id: `sbr-${randomUUID()}`,
      kind: 'recall',
      key: null,
      amount: roundTo(amount.times(recalledShare), currency, Decimal.ROUND_DOWN),
      at,
      endsAt: at,
      outcome: 'succeeded',
      undoneAt: null,
    },
  ];
}
