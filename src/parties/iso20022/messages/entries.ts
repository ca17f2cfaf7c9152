import { type Decimal, sumOf } from '../../../kernel/money/money';
import { at, childrenOf, isSetAt, textAt, type XmlNode } from '../xml/tree';
import { assertCount, type Money, moneyOf } from './amounts';
import { FileFault } from './fault';
import { ibanAt } from './parties';

/** The references that connect a movement with an order or with another message. */
export interface References {
  endToEndId: string | undefined;
  transactionId: string | undefined;
  uetr: string | undefined;
}

/** Money that the bank has booked on an account: an entry, or one transaction of an entry that sums up several. */
export interface BookedMovement extends Money, References {
  /** The bank's reference, the same in notification and statement. Undefined: the bank gives none. */
  reference: string | undefined;
  side: 'credit' | 'debit';
  /** The bank marks it as a return, or as the reversal of an earlier entry. */
  isReturn: boolean;
  /** Code of the reason of a return. */
  reason: string | undefined;
  /** The order's amount, where charges were taken from or added to it. */
  instructed: Money | undefined;
  payeeIban: string | undefined;
  payer: { name: string | undefined; iban: string | undefined };
}

/** Sub-families of the bank's transaction codes for returned and cancelled payments. */
const RETURNS = ['RRTN', 'RPCR', 'RRCT'];

/**
 * The movements of an entry. An entry that is not booked yet, or of the amount zero, has none.
 * @throws FileFault where the transactions do not add up to their entry
 */
export function bookedIn(entry: XmlNode, account: string): BookedMovement[] {
  const amount = at(entry, 'Amt');
  if (!amount) throw new Error('the schema lets an amount be absent');
  const whole = moneyOf(amount);
  if (textAt(entry, 'Sts/Cd') !== 'BOOK' || whole.amount.isZero()) return [];
  const details = childrenOf(entry, 'NtryDtls');
  const transactions = details.flatMap((each) => childrenOf(each, 'TxDtls'));
  for (const each of details)
    if (childrenOf(each, 'TxDtls').length > 0)
      assertCount(textAt(each, 'Btch/NbOfTxs'), childrenOf(each, 'TxDtls').length, 'Btch');
  const [only, ...others] = transactions;
  if (others.length === 0) return [movementOf(entry, only, whole, referenceOf(entry, only), account)];
  const movements = transactions.map((transaction) => {
    const part = at(transaction, 'Amt') ?? at(transaction, 'AmtDtls/TxAmt/Amt');
    if (!part) throw new FileFault('entry_sum', 'TxDtls');
    return movementOf(entry, transaction, moneyOf(part), referenceIn(entry, transaction), account);
  });
  assertAddsUp(movements, whole, sideOf(entry, undefined));
  return movements.filter((movement) => !movement.amount.isZero());
}

function assertAddsUp(movements: readonly BookedMovement[], whole: Money, side: string): void {
  if (movements.some(({ currency }) => currency !== whole.currency))
    throw new FileFault('currency', 'TxDtls');
  const sum = (of: (one: BookedMovement) => boolean): Decimal => sumOf(movements.filter(of));
  const net = sum((one) => one.side === side).minus(sum((one) => one.side !== side));
  if (!net.eq(whole.amount)) throw new FileFault('entry_sum', 'TxDtls');
}

/** The reference of an entry with one transaction. The statement repeats the entry's own. */
const referenceOf = (entry: XmlNode, transaction: XmlNode | undefined): string | undefined =>
  textAt(entry, 'AcctSvcrRef') ?? ownReference(transaction);

/** The reference of a transaction among several: its own, or the entry's with the transaction's name. */
function referenceIn(entry: XmlNode, transaction: XmlNode): string | undefined {
  const own = ownReference(transaction);
  if (own !== undefined) return own;
  const [shared, name] = [textAt(entry, 'AcctSvcrRef'), textAt(transaction, 'Refs/EndToEndId')];
  return shared === undefined || name === undefined ? undefined : `${shared} ${name}`;
}

const ownReference = (transaction: XmlNode | undefined): string | undefined =>
  textAt(transaction, 'Refs/AcctSvcrRef') ??
  textAt(transaction, 'Refs/AcctSvcrTxId') ??
  textAt(transaction, 'Refs/TxId');

const sideOf = (entry: XmlNode, transaction: XmlNode | undefined): BookedMovement['side'] =>
  (textAt(transaction, 'CdtDbtInd') ?? textAt(entry, 'CdtDbtInd')) === 'CRDT' ? 'credit' : 'debit';

function movementOf(
  entry: XmlNode,
  transaction: XmlNode | undefined,
  money: Money,
  reference: string | undefined,
  account: string,
): BookedMovement {
  const instructed = at(transaction, 'AmtDtls/InstdAmt/Amt');
  const family =
    textAt(transaction, 'BkTxCd/Domn/Fmly/SubFmlyCd') ?? textAt(entry, 'BkTxCd/Domn/Fmly/SubFmlyCd') ?? '';
  return {
    ...money,
    reference,
    side: sideOf(entry, transaction),
    isReturn:
      at(transaction, 'RtrInf') !== undefined || isSetAt(entry, 'RvslInd') || RETURNS.includes(family),
    reason: textAt(transaction, 'RtrInf/Rsn/Cd') ?? textAt(transaction, 'RtrInf/Rsn/Prtry'),
    instructed: instructed && moneyOf(instructed),
    endToEndId: given(textAt(transaction, 'Refs/EndToEndId')),
    transactionId: given(textAt(transaction, 'Refs/TxId')),
    uetr: textAt(transaction, 'Refs/UETR'),
    payeeIban: ibanAt(transaction, 'RltdPties/CdtrAcct') ?? account,
    payer: {
      name: textAt(transaction, 'RltdPties/Dbtr/Pty/Nm'),
      iban: ibanAt(transaction, 'RltdPties/DbtrAcct'),
    },
  };
}

/** SEPA fills an absent reference with this word. */
const given = (reference: string | undefined): string | undefined =>
  reference === 'NOTPROVIDED' ? undefined : reference;
