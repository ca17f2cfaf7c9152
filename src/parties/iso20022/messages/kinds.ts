/** The messages that we exchange with a bank: each with the element below `Document`, and who sends it. */
export const MESSAGES = {
  'pain.001.001.09': { root: 'CstmrCdtTrfInitn', from: 'us' },
  'pain.002.001.10': { root: 'CstmrPmtStsRpt', from: 'bank' },
  'camt.053.001.08': { root: 'BkToCstmrStmt', from: 'bank' },
  'camt.054.001.08': { root: 'BkToCstmrDbtCdtNtfctn', from: 'bank' },
  'camt.056.001.08': { root: 'FIToFIPmtCxlReq', from: 'both' },
  'camt.029.001.09': { root: 'RsltnOfInvstgtn', from: 'both' },
  'pacs.004.001.09': { root: 'PmtRtr', from: 'bank' },
} as const;

export type MessageKind = keyof typeof MESSAGES;

export const MESSAGE_KINDS = Object.keys(MESSAGES) as MessageKind[];

export const namespaceOf = (kind: MessageKind): string => `urn:iso:std:iso:20022:tech:xsd:${kind}`;
