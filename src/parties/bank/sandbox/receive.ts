import { randomUUID } from 'node:crypto';
import type { Tx } from '../../../kernel/db/database';
import type { Decimal } from '../../../kernel/money/money';
import type { CallbackSender } from '../../sandbox/callback-sender';
import { insertCredit } from './store';

export interface SandboxPayment {
  /** As the payer wrote it: it may be nobody's. */
  iban: string;
  amount: Decimal;
  currency: string;
  /** Whether no callback is sent: it is then found by asking. */
  mute: boolean;
}

/** Somebody out there pays to an IBAN: the bank has it, and tells of it once this is committed. @returns its name */
export async function receivePayment(
  tx: Tx,
  { mute, ...payment }: SandboxPayment,
  { callbacks, callbackUrl, at }: { callbacks: CallbackSender; callbackUrl: string; at: Date },
): Promise<string> {
  const id = `sbp-${randomUUID()}`;
  await insertCredit(tx, { id, ...payment, receivedAt: at });
  const message = { id: randomUUID(), creditId: id };
  if (!mute) tx.afterCommit(() => callbacks.send(callbackUrl, message));
  return id;
}
