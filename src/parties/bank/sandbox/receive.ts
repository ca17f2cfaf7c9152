import { randomUUID } from 'node:crypto';
import type { Tx } from '../../../kernel/db/database';
import { Decimal, roundTo } from '../../../kernel/money/money';
import { recordChange } from '../../sandbox/changes';
import { secondsAfter } from '../../sandbox/time';
import type { BankRemitter } from '../word';
import { momentsOf } from './credit';
import { scenarioOf } from './scenarios';
import { insertCredit, insertReturn, returnsOf } from './store';

export interface SandboxPayment {
  /** As the payer wrote it. It may belong to no account. */
  iban: string;
  amount: Decimal;
  currency: string;
  /** Default: a payer of the sandbox. */
  remitter?: BankRemitter | undefined;
  /** Sends no callback, so that the payment is found only by asking. */
  mute: boolean;
}

const PAYER: BankRemitter = { name: 'Sandbox Payer' };

/** Receives a payment from outside. The callback goes out after the commit. @returns the bank's id of the payment */
export async function receivePayment(
  tx: Tx,
  { mute, remitter = PAYER, ...payment }: SandboxPayment,
  { callbackUrl, at }: { callbackUrl: string; at: Date },
): Promise<string> {
  const id = `sbp-${randomUUID()}`;
  const credit = {
    id,
    ...payment,
    remitterName: remitter.name,
    remitterIban: remitter.iban ?? null,
    receivedAt: at,
    callbackUrl: mute ? null : callbackUrl,
  };
  await insertCredit(tx, credit);
  await planRecall(tx, id, payment, at);
  const later = momentsOf({ returns: await returnsOf(tx, id) });
  recordChange(tx, { party: 'bank', ref: id, callbackUrl: credit.callbackUrl }, [{ at }], later);
  return id;
}

async function planRecall(
  tx: Tx,
  creditId: string,
  { amount, currency }: Pick<SandboxPayment, 'amount' | 'currency'>,
  receivedAt: Date,
): Promise<void> {
  const { recallSeconds, recalledShare = '1' } = scenarioOf(amount);
  if (recallSeconds === undefined) return;
  const at = secondsAfter(receivedAt, recallSeconds);
  await insertReturn(tx, {
    id: `sbr-${randomUUID()}`,
    creditId,
    kind: 'recall',
    key: null,
    amount: roundTo(amount.times(recalledShare), currency, Decimal.ROUND_DOWN),
    at,
    endsAt: at,
    outcome: 'succeeded',
    undoneAt: null,
  });
}
