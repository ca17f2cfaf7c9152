import { move } from '../../../accounts/accounts/move';
import type { Tx } from '../../../kernel/db/database';
import { Problem } from '../../../kernel/errors';
import { forEachIsolated } from '../../../kernel/for-each-isolated';
import { newId } from '../../../kernel/ids';
import { accountEntry, internalEntry } from '../../../kernel/ledger/entries';
import { Decimal } from '../../../kernel/money/money';
import { openBreak, resolveBreak } from '../../../process/breaks/operations';
import type { Services } from '../../../services';
import { settingsOf } from '../../../tenants/clients/operations';
import { bankingSettingsSection } from '../settings';
import {
  type DueMonth,
  type FeePlace,
  type IbanFee,
  insertFee,
  lockUnpaidFee,
  monthsWithoutFee,
  notePaid,
  noteUnpaid,
  unpaidFees,
} from './store';

export { type FeePlace, type IbanFee, unpaidFees } from './store';

/** Fees that one call makes or takes at a time. */
const PORTION = 200;

export interface FeesTaken {
  paid: number;
  unpaid: number;
  /**
   * Fees that could not be tried because of an error. They are in the log, stay unpaid, and are tried in the next
   * run.
   */
  failed: number;
  /** Cursor for the next call of this run. Null after the last page. */
  after: FeePlace | null;
}

/**
 * Takes the monthly fees of ended months. Makes missing fees at today's price, then tries each unpaid fee in a
 * transaction of its own.
 *
 * A fee above the balance stays unpaid, opens a break, and is tried in the next run. A month costs once, because the
 * fee's row is unique by IBAN and month. Our clock alone decides which months have ended, so that no caller charges a
 * future month.
 */
export async function takeMonthlyFees(services: Services, after: FeePlace | null): Promise<FeesTaken> {
  const { database, log } = services;
  const at = services.now();
  if (after === null) await makeMissingFees(services, at);
  const fees = await unpaidFees(database, after, PORTION);
  let paid = 0;
  const failures = await forEachIsolated(
    fees,
    async (fee) => {
      if (await database.transaction((tx) => pay(tx, fee, at))) paid += 1;
    },
    { log, failed: 'the monthly fee of an IBAN could not be taken', ids: idsOf },
  );
  return {
    paid,
    unpaid: fees.length - paid - failures.length,
    failed: failures.length,
    after: placeAfter(fees),
  };
}

const idsOf = ({ virtualIbanId, month }: FeePlace) => ({ virtualIbanId, month });

/** Cursor after a full page. Null after a page that was not full. */
function placeAfter(portion: FeePlace[]): FeePlace | null {
  const last = portion.length === PORTION ? portion.at(-1) : undefined;
  return last ? { month: last.month, virtualIbanId: last.virtualIbanId } : null;
}

async function makeMissingFees({ database, log }: Services, at: Date): Promise<void> {
  for (let after: FeePlace | null = null; ; ) {
    const months = await monthsWithoutFee(database, at, after, PORTION);
    await forEachIsolated(months, (month) => database.transaction((tx) => makeFee(tx, month)), {
      log,
      failed: 'the monthly fee of an IBAN could not be made',
      ids: idsOf,
    });
    after = placeAfter(months);
    if (after === null) return;
  }
}

async function makeFee(tx: Tx, { virtualIbanId, tenantId, month }: DueMonth): Promise<void> {
  const { monthlyFee } = await settingsOf(tx, tenantId, bankingSettingsSection);
  const amount = new Decimal(monthlyFee);
  await insertFee(tx, { virtualIbanId, month, amount, referenceId: newId('reference') });
}

const entriesOf = ({ virtualIbanId, amount, referenceId }: IbanFee) => [
  accountEntry(virtualIbanId, 'fee/iban_fee', amount, referenceId),
  internalEntry('fees', 'EUR', amount, referenceId),
];

/** @returns whether the fee is paid now */
async function pay(tx: Tx, place: FeePlace, at: Date): Promise<boolean> {
  const fee = await lockUnpaidFee(tx, place);
  if (!fee) return true;
  const unpaid = {
    tenantId: fee.tenantId,
    kind: 'iban_fee_unpaid',
    subject: fee.virtualIbanId,
    detail: fee.month,
    amount: fee.amount,
    currency: 'EUR',
  };
  try {
    if (fee.amount.gt(0)) await move(tx, { entries: entriesOf(fee) }, {});
  } catch (error) {
    // The posting was refused before anything was written.
    if (!(error instanceof Problem && error.code === 'insufficient_funds')) throw error;
    await noteUnpaid(tx, fee);
    await openBreak(tx, unpaid);
    return false;
  }
  await notePaid(tx, fee);
  if (fee.attempts === 0) return true;
  const shown = await openBreak(tx, unpaid); // the existing break
  if (!shown.resolvedAt)
    await resolveBreak(tx, {
      id: shown.id,
      note: 'The fee was paid.',
      resolvedBy: 'iban-monthly-fees',
      at,
    });
  return true;
}
