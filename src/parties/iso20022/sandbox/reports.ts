import { Decimal, sumOf } from '../../../kernel/money/money';
import { moneyElement } from '../messages/amounts';
import type { MessageKind } from '../messages/kinds';
import { accountElement } from '../messages/parties';
import { dayText, timeText } from '../messages/words';
import { documentOf, type Element, element, optional } from '../xml/build';

/** An entry of an account at the sandbox's bank. */
export interface SandboxEntry {
  reference: string;
  side: 'credit' | 'debit';
  amount: string;
  currency: string;
  bookedAt: string;
  endToEndId?: string | undefined;
  /** The id of the transaction between the banks. */
  transactionId?: string | undefined;
  /** Code of the reason of a return. Absent: it is none. */
  returned?: string | undefined;
  payer?: { name: string; iban?: string | undefined } | undefined;
  payeeIban?: string | undefined;
}

export interface SandboxAccount {
  iban: string;
  currency: string;
}

const money = ({ amount, currency }: { amount: string | Decimal; currency: string }) => ({
  amount: new Decimal(amount),
  currency,
});

const indicator = (side: SandboxEntry['side']): Element =>
  element('CdtDbtInd', side === 'credit' ? 'CRDT' : 'DBIT');

function entryElement(entry: SandboxEntry): Element {
  const { reference, side, bookedAt, endToEndId, transactionId, returned, payer, payeeIban } = entry;
  const day = element('Dt', dayText(new Date(bookedAt)));
  return element('Ntry', [
    moneyElement('Amt', money(entry)),
    indicator(side),
    element('Sts', [element('Cd', 'BOOK')]),
    element('BookgDt', [day]),
    element('ValDt', [day]),
    element('AcctSvcrRef', reference),
    element('BkTxCd', [
      element('Domn', [
        element('Cd', 'PMNT'),
        element('Fmly', [
          element('Cd', side === 'credit' ? 'RCDT' : 'ICDT'),
          element('SubFmlyCd', returned === undefined ? 'ESCT' : 'RRTN'),
        ]),
      ]),
    ]),
    element('NtryDtls', [
      element('TxDtls', [
        element('Refs', [
          element('AcctSvcrRef', reference),
          element('EndToEndId', endToEndId ?? 'NOTPROVIDED'),
          optional('TxId', transactionId),
        ]),
        moneyElement('Amt', money(entry)),
        indicator(side),
        partiesElement(payer, payeeIban),
        returned === undefined ? undefined : element('RtrInf', [element('Rsn', [element('Cd', returned)])]),
      ]),
    ]),
  ]);
}

function partiesElement(payer: SandboxEntry['payer'], payeeIban: string | undefined): Element | undefined {
  if (!payer && payeeIban === undefined) return undefined;
  return element('RltdPties', [
    payer && element('Dbtr', [element('Pty', [element('Nm', payer.name)])]),
    payer?.iban === undefined ? undefined : accountElement('DbtrAcct', { iban: payer.iban }),
    payeeIban === undefined ? undefined : accountElement('CdtrAcct', { iban: payeeIban }),
  ]);
}

interface Report {
  kind: Extract<MessageKind, 'camt.053.001.08' | 'camt.054.001.08'>;
  messageId: string;
  at: Date;
  account: SandboxAccount;
  entries: readonly SandboxEntry[];
  /** The day of the closing balance. Absent: the day of the message. */
  closedAt?: Date;
  /** Of a statement. */
  number?: number;
  balances?: { opening: string; closing: string };
}

/** Writes a statement or a notification of one account. */
export function writeReport(report: Report): string {
  const { kind, messageId, at, closedAt = at, account, entries, number, balances } = report;
  const total = sumOf(entries.map(({ amount }) => ({ amount: new Decimal(amount) })));
  return documentOf(kind, [
    element('GrpHdr', [element('MsgId', messageId), element('CreDtTm', timeText(at))]),
    element(kind === 'camt.053.001.08' ? 'Stmt' : 'Ntfctn', [
      element('Id', messageId),
      optional('ElctrncSeqNb', number?.toString()),
      element('CreDtTm', timeText(at)),
      element('Acct', [element('Id', [element('IBAN', account.iban)]), element('Ccy', account.currency)]),
      balances && balanceElement('OPBD', balances.opening, account, at),
      balances && balanceElement('CLBD', balances.closing, account, closedAt),
      element('TxsSummry', [
        element('TtlNtries', [
          element('NbOfNtries', String(entries.length)),
          element('Sum', total.toFixed()),
        ]),
      ]),
      entries.map(entryElement),
    ]),
  ]);
}

function balanceElement(code: string, amount: string, { currency }: SandboxAccount, at: Date): Element {
  const value = new Decimal(amount);
  return element('Bal', [
    element('Tp', [element('CdOrPrtry', [element('Cd', code)])]),
    moneyElement('Amt', { amount: value.abs(), currency }),
    indicator(value.lt(0) ? 'debit' : 'credit'),
    element('Dt', [element('Dt', dayText(at))]),
  ]);
}
