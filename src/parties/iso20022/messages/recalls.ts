import { sumOf } from '../../../kernel/money/money';
import { documentOf, type Element, element, optional } from '../xml/build';
import { at, childrenOf, needAt, textAt, type XmlNode } from '../xml/tree';
import { assertCount, assertSum, type Money, moneyElement, positiveMoneyOf } from './amounts';
import type { References } from './entries';
import { agentElement } from './parties';
import { timeText } from './words';

/** A payment that its payer asks back. */
export interface RecalledPayment extends References {
  /** The asker's id of the request, which the answer repeats. */
  id: string | undefined;
  money: Money | undefined;
  /** Code of the reason: `DUPL`, `FRAD`, `CUST`. */
  reason: string | undefined;
}

/** Requests to give payments back: `camt.056`. */
export interface RecallRequest {
  messageId: string;
  createdAt: Date;
  recalls: readonly RecalledPayment[];
}

/** @throws FileFault where counts or sums are wrong */
export function readRecallRequest(document: XmlNode): RecallRequest {
  const root = at(document, 'FIToFIPmtCxlReq');
  const recalls = childrenOf(root, 'Undrlyg')
    .flatMap((group) => childrenOf(group, 'TxInf'))
    .map((node): RecalledPayment => {
      const amount = at(node, 'OrgnlIntrBkSttlmAmt');
      return {
        ...originalOf(node),
        id: textAt(node, 'CxlId'),
        money: amount && positiveMoneyOf(amount),
        reason: textAt(node, 'CxlRsnInf/Rsn/Cd') ?? textAt(node, 'CxlRsnInf/Rsn/Prtry'),
      };
    });
  assertCount(textAt(root, 'CtrlData/NbOfTxs'), recalls.length, 'CtrlData');
  assertSum(
    textAt(root, 'CtrlData/CtrlSum'),
    sumOf(recalls.flatMap(({ money }) => (money ? [money] : []))),
    'CtrlData',
  );
  return {
    messageId: needAt(root, 'Assgnmt/Id'),
    createdAt: new Date(needAt(root, 'Assgnmt/CreDtTm')),
    recalls,
  };
}

const originalOf = (node: XmlNode): References => ({
  endToEndId: textAt(node, 'OrgnlEndToEndId'),
  transactionId: textAt(node, 'OrgnlTxId'),
  uetr: textAt(node, 'OrgnlUETR'),
});

const originalElements = ({ endToEndId, transactionId, uetr }: References): (Element | undefined)[] => [
  optional('OrgnlEndToEndId', endToEndId),
  optional('OrgnlTxId', transactionId),
  optional('OrgnlUETR', uetr),
];

/** The two banks of a case, by their BIC. Undefined: the message has no need to name it. */
interface CaseBanks {
  from: string | undefined;
  to: string | undefined;
}

const assignment = (id: string, createdAt: Date, { from, to }: CaseBanks): Element =>
  element('Assgnmt', [
    element('Id', id),
    element('Assgnr', [agentElement('Agt', { bic: from })]),
    element('Assgne', [agentElement('Agt', { bic: to })]),
    element('CreDtTm', timeText(createdAt)),
  ]);

export const writeRecallRequest = (
  { messageId, createdAt, recalls }: RecallRequest,
  banks: CaseBanks,
): string =>
  documentOf('camt.056.001.08', [
    assignment(messageId, createdAt, banks),
    element('CtrlData', [element('NbOfTxs', String(recalls.length))]),
    element('Undrlyg', [
      recalls.map(({ id, money, reason, ...original }) =>
        element('TxInf', [
          optional('CxlId', id),
          ...originalElements(original),
          money && moneyElement('OrgnlIntrBkSttlmAmt', money),
          reason === undefined ? undefined : element('CxlRsnInf', [element('Rsn', [element('Cd', reason)])]),
        ]),
      ),
    ]),
  ]);

/** `accepted`: the payment comes back. `pending`: nobody has decided. */
export type RecallVerdict = 'accepted' | 'refused' | 'pending';

const CONFIRMATIONS: Readonly<Record<string, RecallVerdict>> = {
  CNCL: 'accepted',
  ACCR: 'accepted',
  RJCR: 'refused',
  PDCR: 'pending',
};
const CODES = { accepted: 'CNCL', refused: 'RJCR', pending: 'PDCR' } as const;
const TRANSACTION_CODES = { accepted: 'ACCR', refused: 'RJCR', pending: 'PDCR' } as const;

export interface AnsweredRecall extends References {
  /** Undefined for a code that we do not know. */
  verdict: RecallVerdict | undefined;
  reason: string | undefined;
}

/** Answers to requests: `camt.029`. */
export interface RecallAnswer {
  messageId: string;
  createdAt: Date;
  answers: readonly AnsweredRecall[];
}

export function readRecallAnswer(document: XmlNode): RecallAnswer {
  const root = at(document, 'RsltnOfInvstgtn');
  const whole = textAt(root, 'Sts/Conf');
  return {
    messageId: needAt(root, 'Assgnmt/Id'),
    createdAt: new Date(needAt(root, 'Assgnmt/CreDtTm')),
    answers: childrenOf(root, 'CxlDtls')
      .flatMap((group) => childrenOf(group, 'TxInfAndSts'))
      .map((node) => ({
        ...originalOf(node),
        verdict: CONFIRMATIONS[textAt(node, 'TxCxlSts') ?? whole ?? ''],
        reason: textAt(node, 'CxlStsRsnInf/Rsn/Cd') ?? textAt(node, 'CxlStsRsnInf/Rsn/Prtry'),
      })),
  };
}

export const writeRecallAnswer = (
  { messageId, createdAt, answers }: RecallAnswer,
  banks: CaseBanks,
): string =>
  documentOf('camt.029.001.09', [
    assignment(messageId, createdAt, banks),
    element('Sts', [element('Conf', CODES[answers[0]?.verdict ?? 'pending'])]),
    element('CxlDtls', [
      answers.map(({ verdict = 'pending', reason, ...original }) =>
        element('TxInfAndSts', [
          ...originalElements(original),
          element('TxCxlSts', TRANSACTION_CODES[verdict]),
          reason === undefined
            ? undefined
            : element('CxlStsRsnInf', [element('Rsn', [element('Cd', reason)])]),
        ]),
      ),
    ]),
  ]);
