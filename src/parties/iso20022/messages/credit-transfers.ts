import type { Decimal } from '../../../kernel/money/money';
import { sumOf } from '../../../kernel/money/money';
import { documentOf, type Element, element, optional } from '../xml/build';
import { at, childrenOf, needAt, textAt, type XmlNode } from '../xml/tree';
import { assertCount, assertSum, type Money, moneyElement, positiveMoneyOf } from './amounts';
import { type AccountHolder, accountElement, agentElement, ibanAt, partyElement } from './parties';
import { timeText } from './words';

/** The payer of the banks' charges: each side its own (SLEV, for SEPA, and SHAR), or the payer all (DEBT). */
export type ChargeBearer = 'SLEV' | 'DEBT' | 'SHAR';

export interface CreditTransfer extends Money {
  /** Our name of the order, which every later message repeats. */
  endToEndId: string;
  payee: AccountHolder;
  text?: string | undefined;
}

/** The transfers of one day, currency and service. */
export interface TransferGroup {
  id: string;
  /** `2026-11-27` */
  executionDay: string;
  service: 'sepa' | 'swift';
  charges: ChargeBearer;
  payer: AccountHolder;
  transfers: readonly CreditTransfer[];
}

/** Orders for the bank: `pain.001`. */
export interface CreditTransferFile {
  messageId: string;
  createdAt: Date;
  initiator: string;
  groups: readonly TransferGroup[];
}

const totalOf = (transfers: readonly CreditTransfer[]): { count: string; sum: string } => ({
  count: String(transfers.length),
  sum: sumOf(transfers).toFixed(),
});

export function writeCreditTransfers({
  messageId,
  createdAt,
  initiator,
  groups,
}: CreditTransferFile): string {
  const { count, sum } = totalOf(groups.flatMap(({ transfers }) => transfers));
  const header = element('GrpHdr', [
    element('MsgId', messageId),
    element('CreDtTm', timeText(createdAt)),
    element('NbOfTxs', count),
    element('CtrlSum', sum),
    element('InitgPty', [element('Nm', initiator)]),
  ]);
  return documentOf('pain.001.001.09', [header, groups.map(groupElement)]);
}

function groupElement({ id, executionDay, service, charges, payer, transfers }: TransferGroup): Element {
  const { count, sum } = totalOf(transfers);
  return element('PmtInf', [
    element('PmtInfId', id),
    element('PmtMtd', 'TRF'),
    // Each transfer is debited alone, so that a booked entry names its order.
    element('BtchBookg', 'false'),
    element('NbOfTxs', count),
    element('CtrlSum', sum),
    service === 'sepa' ? element('PmtTpInf', [element('SvcLvl', [element('Cd', 'SEPA')])]) : undefined,
    element('ReqdExctnDt', [element('Dt', executionDay)]),
    partyElement('Dbtr', payer),
    accountElement('DbtrAcct', payer),
    agentElement('DbtrAgt', payer),
    element('ChrgBr', charges),
    transfers.map(transferElement),
  ]);
}

const transferElement = ({ endToEndId, payee, text, ...money }: CreditTransfer): Element =>
  element('CdtTrfTxInf', [
    element('PmtId', [element('InstrId', endToEndId), element('EndToEndId', endToEndId)]),
    element('Amt', [moneyElement('InstdAmt', money)]),
    payee.bic === undefined ? undefined : agentElement('CdtrAgt', payee),
    partyElement('Cdtr', payee),
    accountElement('CdtrAcct', payee),
    text === undefined ? undefined : element('RmtInf', [optional('Ustrd', text)]),
  ]);

/** A file of orders as a bank reads it. */
export interface ReadTransfers {
  messageId: string;
  groups: { id: string; payerIban: string | undefined; transfers: ReadTransfer[] }[];
}

export interface ReadTransfer extends Money {
  endToEndId: string;
  payeeIban: string | undefined;
  text: string | undefined;
}

/** @throws FileFault where counts or sums are wrong */
export function readCreditTransfers(document: XmlNode): ReadTransfers {
  const root = at(document, 'CstmrCdtTrfInitn');
  const groups = childrenOf(root, 'PmtInf').map(readGroup);
  const all = groups.flatMap(({ transfers }) => transfers);
  assertTotals(at(root, 'GrpHdr'), all);
  return { messageId: needAt(root, 'GrpHdr/MsgId'), groups };
}

function readGroup(group: XmlNode) {
  const transfers = childrenOf(group, 'CdtTrfTxInf').map((node): ReadTransfer => {
    const amount = at(node, 'Amt/InstdAmt') ?? at(node, 'Amt/EqvtAmt/Amt');
    if (!amount) throw new Error('the schema lets an amount be absent');
    return {
      ...positiveMoneyOf(amount),
      endToEndId: needAt(node, 'PmtId/EndToEndId'),
      payeeIban: ibanAt(node, 'CdtrAcct'),
      text: textAt(node, 'RmtInf/Ustrd'),
    };
  });
  assertTotals(group, transfers);
  return { id: needAt(group, 'PmtInfId'), payerIban: ibanAt(group, 'DbtrAcct'), transfers };
}

function assertTotals(node: XmlNode | undefined, transfers: readonly { amount: Decimal }[]): void {
  assertCount(textAt(node, 'NbOfTxs'), transfers.length, node?.name ?? '');
  assertSum(textAt(node, 'CtrlSum'), sumOf(transfers), node?.name ?? '');
}
