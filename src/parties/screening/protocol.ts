import { z } from 'zod';
import type { PartyProtocol } from '../protocol/description';
import { partyName, storedAmount } from '../protocol/stored';
import { SCREENING_DIRECTIONS } from './port';
import { screeningWord } from './word';

/** The wire format between us and a screening party. Our adapter and the sandbox's application share it. */

/** Body of `POST /screenings`. */
export const screeningBody = z.object({
  direction: z
    .enum(SCREENING_DIRECTIONS)
    .describe('`inbound`: a payment has arrived. `outbound`: a payment is to be sent.'),
  chain: z.string().describe('Our name of the network.'),
  asset: z.string(),
  address: z.string().describe('The other side: the sender, or the destination.'),
  accountId: z
    .string()
    .nullable()
    .describe(
      'Our account that the payment is for, or comes from: the customer or user of a vendor. Null: nobody’s.',
    ),
  ownAddress: z.string().nullable().describe('Our address of a payment that has arrived.'),
  txHash: z.string().nullable(),
  ordinal: z
    .number()
    .int()
    .nullable()
    .describe('Position of the log in the receipt. −1 for the native coin.'),
  blockAt: z
    .string()
    .nullable()
    .describe('Time of the first block of a payment that has arrived, in ISO 8601.'),
  amount: storedAmount,
  callbackUrl: z.url(),
});

/** Answer to `POST /screenings` and `GET /screenings/{key}`: the present state, with the key. */
export const screeningAnswer = screeningWord.extend({ key: partyName });

/** A callback: the party's id of the message, and the key of the screening that has changed. */
export const callbackMessage = z.object({ id: partyName, key: partyName });

const KEY = 'cdp_01h2xcejqtf2nbrexx3vqjhp41-25000000';

export const screeningProtocol: PartyProtocol = {
  name: 'screening',
  title: 'Screening',
  purpose: 'Judges payments that arrive from chains, and addresses that payments go to.',
  operations: [
    {
      name: 'screening',
      kind: 'order',
      method: 'POST',
      path: '/screenings',
      ref: 'key',
      summary: 'Screen a payment or a destination',
      description:
        'Answer with `cleared` or `refused` at once where you can, else with `pending`. A deposit or payout waits while it is `pending`.',
      request: screeningBody,
      sample: ({ callbackUrl }) => ({
        direction: 'inbound',
        chain: 'ethereum',
        asset: 'USDC',
        address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
        accountId: 'acc_01h2xcejqtf2nbrexx3vqjhp40',
        ownAddress: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
        txHash: '0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b',
        ordinal: 0,
        blockAt: '2026-05-03T10:15:00.000Z',
        amount: '25.000000',
        callbackUrl,
      }),
      another: { amount: '26.000000' },
      answer: screeningAnswer,
      example: { key: KEY, version: 1, status: 'cleared', score: '3' },
      refusals: { malformed_order: 'The body does not match this schema, or the key is missing.' },
    },
    {
      name: 'state',
      kind: 'state',
      method: 'GET',
      path: '/screenings/{key}',
      ref: 'key',
      summary: 'The state of a screening',
      description: 'Later versions may change the result. A change after a credit is shown to operators.',
      answer: screeningAnswer,
      example: { key: KEY, version: 2, status: 'refused', reason: 'sanctions', score: '98' },
    },
  ],
  callback: { schema: callbackMessage, ref: 'key', example: { id: 'change-17', key: KEY } },
  changes: true,
};
