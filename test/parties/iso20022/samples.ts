import { Decimal } from '../../../src/kernel/money/money';
import { readNotifications, readStatements } from '../../../src/parties/iso20022/messages/account-report';
import {
  type CreditTransferFile,
  readCreditTransfers,
  writeCreditTransfers,
} from '../../../src/parties/iso20022/messages/credit-transfers';
import type { MessageKind } from '../../../src/parties/iso20022/messages/kinds';
import {
  readPaymentReturns,
  writePaymentReturns,
} from '../../../src/parties/iso20022/messages/payment-return';
import {
  readRecallAnswer,
  readRecallRequest,
  writeRecallAnswer,
  writeRecallRequest,
} from '../../../src/parties/iso20022/messages/recalls';
import { readStatusReport, writeStatusReport } from '../../../src/parties/iso20022/messages/status-report';
import { type SandboxEntry, writeReport } from '../../../src/parties/iso20022/sandbox/reports';
import type { XmlNode } from '../../../src/parties/iso20022/xml/tree';

export const EUR_ACCOUNT = 'DE75512108001245126199';
export const USD_ACCOUNT = 'GB33BUKB20201555555555';
export const AT = new Date('2026-11-27T10:00:00Z');
export const money = (amount: string, currency = 'EUR') => ({ amount: new Decimal(amount), currency });

const PAYER = { name: 'Example Cards GmbH', iban: EUR_ACCOUNT, bic: 'SOGEDEFFXXX' };

export const TRANSFERS: CreditTransferFile = {
  messageId: 'CW20261127100000AAAAAAAAAA',
  createdAt: AT,
  initiator: PAYER.name,
  groups: [
    {
      id: 'CW20261127100000AAAAAAAAAA-1',
      executionDay: '2026-11-27',
      service: 'sepa',
      charges: 'SLEV',
      payer: PAYER,
      transfers: [
        {
          ...money('100.00'),
          endToEndId: 'PAYOUTPAY01',
          payee: { name: 'Ada Lovelace', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' },
        },
        {
          ...money('0.05'),
          endToEndId: 'RETURNDEC01',
          payee: { name: 'Grace & Sons', iban: 'FR1420041010050500013M02606' },
          text: 'RETURN E2E1',
        },
      ],
    },
    {
      id: 'CW20261127100000AAAAAAAAAA-2',
      executionDay: '2026-11-27',
      service: 'swift',
      charges: 'DEBT',
      payer: { ...PAYER, iban: USD_ACCOUNT },
      transfers: [
        {
          ...money('2500.10', 'USD'),
          endToEndId: 'PAYOUTPAY02',
          payee: { name: 'Alan Turing', accountNumber: '000123456789', bic: 'CHASUS33XXX', country: 'US' },
        },
      ],
    },
  ],
};

const ENTRIES: SandboxEntry[] = [
  {
    reference: 'BK1',
    side: 'credit',
    amount: '250.00',
    currency: 'EUR',
    bookedAt: AT.toISOString(),
    endToEndId: 'E2E1',
    payer: { name: 'Grace Hopper', iban: 'FR1420041010050500013M02606' },
    payeeIban: 'LT371999900000000001',
  },
  {
    reference: 'BK2',
    side: 'debit',
    amount: '100.00',
    currency: 'EUR',
    bookedAt: AT.toISOString(),
    endToEndId: 'PAYOUTPAY01',
  },
  {
    reference: 'BK3',
    side: 'credit',
    amount: '40.00',
    currency: 'EUR',
    bookedAt: AT.toISOString(),
    endToEndId: 'PAYOUTPAY01',
    returned: 'AC04',
  },
];

const ACCOUNT = { iban: EUR_ACCOUNT, currency: 'EUR' };
const BANKS = { from: 'SOGEDEFFXXX', to: undefined };
const NAMES = { endToEndId: 'PAYOUTPAY01', transactionId: 'TX1', uetr: undefined };

/** A message of each kind as its writer makes it, and its reader. */
export const SAMPLES: Readonly<Record<MessageKind, { xml(): string; read(tree: XmlNode): unknown }>> = {
  'pain.001.001.09': { xml: () => writeCreditTransfers(TRANSFERS), read: readCreditTransfers },
  'pain.002.001.10': {
    xml: () =>
      writeStatusReport({
        messageId: 'ST1',
        createdAt: AT,
        original: TRANSFERS.messageId,
        count: 3,
        sum: new Decimal('2600.15'),
        status: 'PART',
        groups: [
          {
            id: 'CW20261127100000AAAAAAAAAA-1',
            status: 'PART',
            transfers: [
              { endToEndId: 'PAYOUTPAY01', status: 'ACSC', money: money('100.00') },
              { endToEndId: 'RETURNDEC01', status: 'RJCT', reason: 'AC04' },
            ],
          },
          { id: 'CW20261127100000AAAAAAAAAA-2', status: 'PDNG', transfers: [] },
        ],
      }),
    read: readStatusReport,
  },
  'camt.053.001.08': {
    xml: () =>
      writeReport({
        kind: 'camt.053.001.08',
        messageId: 'SM1',
        at: AT,
        account: ACCOUNT,
        entries: ENTRIES,
        number: 7,
        balances: { opening: '1000.00', closing: '1190.00' },
      }),
    read: readStatements,
  },
  'camt.054.001.08': {
    xml: () =>
      writeReport({ kind: 'camt.054.001.08', messageId: 'NT1', at: AT, account: ACCOUNT, entries: ENTRIES }),
    read: readNotifications,
  },
  'camt.056.001.08': {
    xml: () =>
      writeRecallRequest(
        {
          messageId: 'RC1',
          createdAt: AT,
          recalls: [{ ...NAMES, id: 'CXL1', money: money('100.00'), reason: 'DUPL' }],
        },
        BANKS,
      ),
    read: readRecallRequest,
  },
  'camt.029.001.09': {
    xml: () =>
      writeRecallAnswer(
        { messageId: 'RA1', createdAt: AT, answers: [{ ...NAMES, verdict: 'refused', reason: 'CUST' }] },
        BANKS,
      ),
    read: readRecallAnswer,
  },
  'pacs.004.001.09': {
    xml: () =>
      writePaymentReturns({
        messageId: 'RT1',
        createdAt: AT,
        returns: [
          {
            ...money('40.00'),
            id: 'RI1',
            endToEndId: 'PAYOUTPAY01',
            original: money('100.00'),
            reason: 'AC04',
          },
        ],
      }),
    read: readPaymentReturns,
  },
};
