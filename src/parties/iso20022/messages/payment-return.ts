import { sumOf } from '../../../kernel/money/money';
import { documentOf, element, optional } from '../xml/build';
import { at, childrenOf, needAt, textAt, type XmlNode } from '../xml/tree';
import { assertCount, assertSum, type Money, moneyElement, positiveMoneyOf } from './amounts';
import { FileFault } from './fault';
import { timeText } from './words';

/** A transfer of ours that comes back, with the amount that comes back. */
export interface ReturnedTransfer extends Money {
  /** The bank's id of the return. */
  id: string | undefined;
  endToEndId: string | undefined;
  /** Of the transfer when it left. */
  original: Money | undefined;
  reason: string | undefined;
}

/** Returns of transfers: `pacs.004`. */
export interface PaymentReturns {
  messageId: string;
  createdAt: Date;
  returns: readonly ReturnedTransfer[];
}

/** @throws FileFault where counts or sums are wrong */
export function readPaymentReturns(document: XmlNode): PaymentReturns {
  const root = at(document, 'PmtRtr');
  const returns = childrenOf(root, 'TxInf').map((node): ReturnedTransfer => {
    const [amount, original] = [at(node, 'RtrdIntrBkSttlmAmt'), at(node, 'OrgnlIntrBkSttlmAmt')];
    if (!amount) throw new Error('the schema lets an amount be absent');
    const money = positiveMoneyOf(amount);
    const before = original && positiveMoneyOf(original);
    if (before && before.currency !== money.currency) throw new FileFault('currency', 'OrgnlIntrBkSttlmAmt');
    return {
      ...money,
      id: textAt(node, 'RtrId'),
      endToEndId: textAt(node, 'OrgnlEndToEndId'),
      original: before,
      reason: textAt(node, 'RtrRsnInf/Rsn/Cd') ?? textAt(node, 'RtrRsnInf/Rsn/Prtry'),
    };
  });
  const header = at(root, 'GrpHdr');
  assertCount(textAt(header, 'NbOfTxs'), returns.length, 'GrpHdr');
  assertSum(textAt(header, 'CtrlSum'), sumOf(returns), 'GrpHdr');
  assertSum(textAt(header, 'TtlRtrdIntrBkSttlmAmt'), sumOf(returns), 'TtlRtrdIntrBkSttlmAmt');
  return {
    messageId: needAt(header, 'MsgId'),
    createdAt: new Date(needAt(header, 'CreDtTm')),
    returns,
  };
}

export const writePaymentReturns = ({ messageId, createdAt, returns }: PaymentReturns): string =>
  documentOf('pacs.004.001.09', [
    element('GrpHdr', [
      element('MsgId', messageId),
      element('CreDtTm', timeText(createdAt)),
      element('NbOfTxs', String(returns.length)),
      element('CtrlSum', sumOf(returns).toFixed()),
      element('SttlmInf', [element('SttlmMtd', 'CLRG')]),
    ]),
    returns.map(({ id, endToEndId, original, reason, ...money }) =>
      element('TxInf', [
        optional('RtrId', id),
        optional('OrgnlEndToEndId', endToEndId),
        original && moneyElement('OrgnlIntrBkSttlmAmt', original),
        moneyElement('RtrdIntrBkSttlmAmt', money),
        reason === undefined ? undefined : element('RtrRsnInf', [element('Rsn', [element('Cd', reason)])]),
      ]),
    ),
  ]);
