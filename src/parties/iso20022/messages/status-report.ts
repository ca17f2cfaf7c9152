import { Decimal } from '../../../kernel/money/money';
import { documentOf, type Element, element, optional } from '../xml/build';
import { at, childrenOf, needAt, textAt, type XmlNode } from '../xml/tree';
import { type Money, moneyElement, positiveMoneyOf } from './amounts';
import { timeText } from './words';

/** The bank's judgement of a file, a group or a transfer of ours. */
export interface Judged {
  status?: string | undefined;
  /** Code of the reason: `AC04`. */
  reason?: string | undefined;
}

export interface TransferStatus extends Judged {
  endToEndId: string | undefined;
  /** The order's amount as the bank repeats it. */
  money?: Money | undefined;
}

export interface GroupStatus extends Judged {
  id: string;
  transfers: readonly TransferStatus[];
}

/** The bank's answer to a file of orders: `pain.002`. */
export interface StatusReport extends Judged {
  messageId: string;
  createdAt: Date;
  /** Message id of our file. */
  original: string;
  /** Count and sum of our file as the bank repeats them. */
  count?: number | undefined;
  sum?: Decimal | undefined;
  groups: readonly GroupStatus[];
}

export function readStatusReport(document: XmlNode): StatusReport {
  const root = at(document, 'CstmrPmtStsRpt');
  const original = at(root, 'OrgnlGrpInfAndSts');
  const [count, sum] = [textAt(original, 'OrgnlNbOfTxs'), textAt(original, 'OrgnlCtrlSum')];
  return {
    messageId: needAt(root, 'GrpHdr/MsgId'),
    createdAt: new Date(needAt(root, 'GrpHdr/CreDtTm')),
    original: needAt(original, 'OrgnlMsgId'),
    count: count === undefined ? undefined : Number(count),
    sum: sum === undefined ? undefined : new Decimal(sum),
    ...judged(original, 'GrpSts'),
    groups: childrenOf(root, 'OrgnlPmtInfAndSts').map((group) => ({
      id: needAt(group, 'OrgnlPmtInfId'),
      ...judged(group, 'PmtInfSts'),
      transfers: childrenOf(group, 'TxInfAndSts').map(readTransfer),
    })),
  };
}

function readTransfer(node: XmlNode): TransferStatus {
  const amount = at(node, 'OrgnlTxRef/Amt/InstdAmt');
  return {
    endToEndId: textAt(node, 'OrgnlEndToEndId') ?? textAt(node, 'OrgnlInstrId'),
    ...judged(node, 'TxSts'),
    money: amount && positiveMoneyOf(amount),
  };
}

const judged = (node: XmlNode | undefined, status: string): Judged => ({
  status: textAt(node, status),
  reason: textAt(node, 'StsRsnInf/Rsn/Cd') ?? textAt(node, 'StsRsnInf/Rsn/Prtry'),
});

export function writeStatusReport({
  messageId,
  createdAt,
  original,
  count,
  sum,
  groups,
  ...judgement
}: StatusReport): string {
  return documentOf('pain.002.001.10', [
    element('GrpHdr', [element('MsgId', messageId), element('CreDtTm', timeText(createdAt))]),
    element('OrgnlGrpInfAndSts', [
      element('OrgnlMsgId', original),
      element('OrgnlMsgNmId', 'pain.001.001.09'),
      optional('OrgnlNbOfTxs', count?.toString()),
      optional('OrgnlCtrlSum', sum?.toFixed()),
      ...judgedElements('GrpSts', judgement),
    ]),
    groups.map(({ id, transfers, ...group }) =>
      element('OrgnlPmtInfAndSts', [
        element('OrgnlPmtInfId', id),
        ...judgedElements('PmtInfSts', group),
        transfers.map(({ endToEndId, money, ...transfer }) =>
          element('TxInfAndSts', [
            optional('OrgnlEndToEndId', endToEndId),
            ...judgedElements('TxSts', transfer),
            money && element('OrgnlTxRef', [element('Amt', [moneyElement('InstdAmt', money)])]),
          ]),
        ),
      ]),
    ),
  ]);
}

const judgedElements = (name: string, { status, reason }: Judged): (Element | undefined)[] => [
  optional(name, status),
  reason === undefined
    ? undefined
    : element('StsRsnInf', [
        element('Rsn', [/^[A-Z0-9]{1,4}$/.test(reason) ? element('Cd', reason) : element('Prtry', reason)]),
      ]),
];
