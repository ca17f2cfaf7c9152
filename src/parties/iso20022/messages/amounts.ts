import { isCurrency, isIso4217 } from '../../../kernel/money/currencies';
import { Decimal, fitsCurrency, formatAmount } from '../../../kernel/money/money';
import { type Element, element } from '../xml/build';
import type { XmlNode } from '../xml/tree';
import { FileFault } from './fault';

export interface Money {
  amount: Decimal;
  currency: string;
}

/**
 * Reads an amount with its currency. The schema has refused a negative one.
 * @throws FileFault for a currency that the ledger does not have, and for more decimals than it has
 */
export function moneyOf({ name, text = '', attributes = {} }: XmlNode): Money {
  const currency = attributes['Ccy'] ?? '';
  if (!isIso4217(currency) || !isCurrency(currency)) throw new FileFault('currency', name);
  const amount = new Decimal(text.trim());
  if (!fitsCurrency(amount, currency)) throw new FileFault('amount', name);
  return { amount, currency };
}

/** As {@link moneyOf}, for money that has moved or is to move. @throws FileFault for zero as well */
export function positiveMoneyOf(node: XmlNode): Money {
  const money = moneyOf(node);
  if (!money.amount.gt(0)) throw new FileFault('amount', node.name);
  return money;
}

/** An amount element, with exactly the decimals of its currency. */
export const moneyElement = (name: string, { amount, currency }: Money): Element =>
  element(name, formatAmount(amount, currency), { Ccy: currency });

/** Compares a count that a file states with the real one. @throws FileFault */
export function assertCount(stated: string | undefined, real: number, place: string): void {
  if (stated !== undefined && Number(stated) !== real) throw new FileFault('transaction_count', place);
}

/** Compares a sum that a file states with the real one. @throws FileFault */
export function assertSum(stated: string | undefined, real: Decimal, place: string): void {
  if (stated !== undefined && !new Decimal(stated).eq(real)) throw new FileFault('control_sum', place);
}
