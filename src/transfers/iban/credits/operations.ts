import type { Tx } from '../../../kernel/db/database';
import { forEachIsolated } from '../../../kernel/for-each-isolated';
import { newId } from '../../../kernel/ids';
import { isCurrency } from '../../../kernel/money/currencies';
import { fitsCurrency } from '../../../kernel/money/money';
import type { BankCredit } from '../../../parties/bank/port';
import { PartyAway } from '../../../process/party-errors';
import type { Services } from '../../../services';
import { creditIban, suspendCredit } from '../postings';
import { normalized } from '../virtual-ibans/iban-number';
import { findByIban } from '../virtual-ibans/store';
import { startIbanCredit } from '../workflows';
import { insertCredit, isKnownCredit, readPlace, savePlace } from './store';

/** `unknown`: the bank knows no such payment. */
export type CreditOutcome = 'credited' | 'suspended' | 'unknown';

/**
 * Books a payment that the bank has received: to the IBAN that it is for, or – when that is not enabled, or nobody's – to
 * suspense, where the operator sees it. Once, however often it is asked for.
 * @throws PartyAway nothing is known now
 */
export async function bookCredit(services: Services, bankId: string): Promise<CreditOutcome> {
  const { database, parties } = services;
  const known = await isKnownCredit(database, bankId);
  if (known) return known;
  const credit = await parties.bank.credit(bankId);
  if (credit === 'unknown_to_party') return 'unknown';
  return database.transaction((tx) => book(tx, credit));
}

async function book(tx: Tx, credit: BankCredit): Promise<CreditOutcome> {
  const { id: bankId, amount, currency } = credit;
  if (!isCurrency(currency) || !fitsCurrency(amount, currency) || amount.lte(0))
    throw new Error('the bank tells of an amount that is none');
  const found = currency === 'EUR' ? await findByIban(tx, normalized(credit.iban)) : undefined;
  const reference = newId(found ? 'reference' : 'suspense');
  const outcome = found ? 'credited' : 'suspended';
  const row = { bankId, virtualIbanId: found?.id ?? null, outcome, reference, amount, currency } as const;
  // Whoever books the same payment at this moment waits here, and then finds it booked.
  if (!(await insertCredit(tx, row))) return (await isKnownCredit(tx, bankId)) ?? outcome;
  if (found) await creditIban(tx, found.id, amount, reference);
  else {
    const detail = currency === 'EUR' ? 'no enabled IBAN of ours' : `an IBAN takes EUR, not ${currency}`;
    await suspendCredit(tx, { bankId, amount, currency, detail }, reference);
  }
  return outcome;
}

/**
 * Asks the bank for what it has received since the last look, and books what no callback has told of. A payment that cannot
 * be booked now is left to a workflow of its own, which asks until it can: it holds up neither the others nor the place.
 * @returns whether there is more
 * @throws PartyAway the bank does not say what it has received
 */
export async function catchUpCredits(services: Services): Promise<{ booked: number; more: boolean }> {
  const { database, parties, log } = services;
  const after = await readPlace(database);
  const { credits, next } = await parties.bank.creditsAfter(after);
  let booked = 0;
  let away = false;
  const bookApart = async ({ id }: { id: string }) => {
    if (await isKnownCredit(database, id)) return;
    if (away) throw new PartyAway(); // it was asked a moment ago
    await bookCredit(services, id).catch((error: unknown) => {
      away = error instanceof PartyAway;
      throw error;
    });
    booked += 1;
  };
  const left = await forEachIsolated(credits, bookApart, {
    log,
    failed: 'a payment of the bank could not be booked; its own workflow goes on',
    ids: ({ id }) => ({ bankId: id }),
  });
  await database.transaction(async (tx) => {
    await services.commands.append(
      tx,
      left.map(({ id }) => startIbanCredit(id)),
    );
    if (next !== null && next !== after) await savePlace(tx, next);
  });
  return { booked, more: next !== null && next !== after };
}
