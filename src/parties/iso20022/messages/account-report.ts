import { Decimal } from '../../../kernel/money/money';
import { at, childrenOf, isSetAt, needAt, textAt, type XmlNode } from '../xml/tree';
import { assertCount, moneyOf } from './amounts';
import { type BookedMovement, bookedIn } from './entries';
import { FileFault } from './fault';
import { accountAt } from './parties';

/** A balance of the account. Negative: overdrawn. */
export interface Balance {
  amount: Decimal;
  currency: string;
}

export interface Balances {
  opening: Balance;
  closing: Balance;
  /** The closing balance's year. A bank may write the last statement of a year in the next one. */
  year: number;
}

/** A statement (`camt.053`) or a notification (`camt.054`) of one account. */
export interface AccountReport {
  id: string;
  account: string;
  currency: string | undefined;
  /** The statement's number in its series. Undefined where the bank counts none. */
  number: number | undefined;
  createdAt: Date;
  /** The end of the reported time. */
  until: Date;
  /** Booked balances of a statement. */
  balances: Balances | undefined;
  movements: readonly BookedMovement[];
}

export interface AccountReports {
  messageId: string;
  reports: readonly AccountReport[];
}

/** @throws FileFault where counts, sums or balances contradict one another */
export function readStatements(document: XmlNode): AccountReports {
  const root = at(document, 'BkToCstmrStmt');
  const made = childrenOf(root, 'Stmt').map((node) => {
    const report = readReport(node, root);
    const balances = balancesOf(node);
    assertMoves(node, balances, report);
    return { ...report, balances };
  });
  return { messageId: needAt(root, 'GrpHdr/MsgId'), reports: made };
}

/** @throws FileFault where counts or sums contradict one another */
export function readNotifications(document: XmlNode): AccountReports {
  const root = at(document, 'BkToCstmrDbtCdtNtfctn');
  const made = childrenOf(root, 'Ntfctn').map((node) => readReport(node, root));
  return { messageId: needAt(root, 'GrpHdr/MsgId'), reports: made };
}

function readReport(node: XmlNode, root: XmlNode | undefined): AccountReport {
  for (const pages of ['StmtPgntn', 'NtfctnPgntn'])
    if (isPart(at(node, pages))) throw new FileFault('pages', `${pages}, ${WHOLE}`);
  if (isPart(at(root, 'GrpHdr/MsgPgntn'))) throw new FileFault('pages', `MsgPgntn, ${WHOLE}`);
  const account = accountAt(node, 'Acct') ?? '';
  const entries = childrenOf(node, 'Ntry');
  assertTotals(node, entries);
  const createdAt = timeOf(textAt(node, 'CreDtTm') ?? needAt(root, 'GrpHdr/CreDtTm'));
  const number = textAt(node, 'ElctrncSeqNb') ?? textAt(node, 'LglSeqNb');
  const until = textAt(node, 'FrToDt/ToDtTm');
  return {
    id: needAt(node, 'Id'),
    account,
    currency: textAt(node, 'Acct/Ccy'),
    number: number === undefined ? undefined : Number(number),
    createdAt,
    until: until === undefined ? createdAt : timeOf(until),
    balances: undefined,
    movements: entries.flatMap((entry) => bookedIn(entry, account)),
  };
}

/** A time, in UTC where the bank names no zone. The schema allows years that no clock has. */
function timeOf(text: string): Date {
  const at = new Date(/(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
  const year = at.getUTCFullYear();
  if (!(year >= 2000 && year < 3000)) throw new FileFault('schema', 'time');
  return at;
}

/** For the person who reads why the file was refused. */
const WHOLE = 'the report must come whole in one message';

/**
 * Whether a report is split over several messages. The balances of a page are interim ones, so a page does not prove that
 * nothing is missing.
 */
const isPart = (pages: XmlNode | undefined): boolean =>
  pages !== undefined && !(Number(textAt(pages, 'PgNb')) === 1 && isSetAt(pages, 'LastPgInd'));

/** Counts and sums over all entries, booked or not. */
function assertTotals(node: XmlNode, entries: readonly XmlNode[]): void {
  const summary = at(node, 'TxsSummry');
  const bySide = (side: string) => entries.filter((entry) => textAt(entry, 'CdtDbtInd') === side);
  const totals = [
    ['TtlNtries', entries],
    ['TtlCdtNtries', bySide('CRDT')],
    ['TtlDbtNtries', bySide('DBIT')],
  ] as const;
  for (const [name, counted] of totals) {
    const total = at(summary, name);
    assertCount(textAt(total, 'NbOfNtries'), counted.length, name);
    const stated = textAt(total, 'Sum');
    if (stated !== undefined && !new Decimal(stated).eq(sumOfEntries(counted)))
      throw new FileFault('control_sum', name);
  }
}

const sumOfEntries = (entries: readonly XmlNode[]): Decimal =>
  entries.reduce((sum, entry) => sum.plus(textAt(entry, 'Amt') ?? '0'), new Decimal(0));

const OPENING = ['OPBD', 'PRCD'];

function balancesOf(node: XmlNode): Balances {
  const all = childrenOf(node, 'Bal');
  const named = (codes: readonly string[]) =>
    codes
      .map((code) => all.find((each) => textAt(each, 'Tp/CdOrPrtry/Cd') === code))
      .find((each) => each !== undefined);
  const [opening, closing] = [named(OPENING), named(['CLBD'])];
  if (!opening || !closing) throw new FileFault('balance', 'OPBD and CLBD');
  const day = textAt(closing, 'Dt/Dt') ?? needAt(closing, 'Dt/DtTm');
  const year = Number(/^\d{4}/.exec(day)?.[0]);
  if (!(year >= 2000 && year < 3000)) throw new FileFault('schema', 'time');
  const balances = { opening: balanceOf(opening), closing: balanceOf(closing), year };
  if (balances.opening.currency !== balances.closing.currency) throw new FileFault('balance', 'currency');
  return balances;
}

function balanceOf(node: XmlNode): Balance {
  const money = moneyOf(at(node, 'Amt') as XmlNode);
  return textAt(node, 'CdtDbtInd') === 'DBIT' ? { ...money, amount: money.amount.negated() } : money;
}

/** The opening balance with all booked entries is the closing balance, else an entry is missing or was changed. */
function assertMoves(
  node: XmlNode,
  { opening, closing }: Balances,
  { movements, currency }: AccountReport,
): void {
  if (currency !== undefined && currency !== opening.currency) throw new FileFault('balance', 'currency');
  const moved = movements.reduce((sum, { side, amount, ...movement }) => {
    if (movement.currency !== opening.currency) throw new FileFault('currency', node.name);
    return side === 'credit' ? sum.plus(amount) : sum.minus(amount);
  }, opening.amount);
  if (!moved.eq(closing.amount)) throw new FileFault('balance', 'entries');
}
