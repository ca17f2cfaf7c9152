import { z } from 'zod';
import { checkedAddress } from '../../parties/chain/addresses';
import type { DecisionSpec, SubjectSpec } from '../../process/desk/decision';
import { findNetwork } from '../networks/operations';
import { isChainName, type Network } from '../networks/record';
import { NATIVE } from './outflow';

/** Name of the decision by which two operators raise a day's sum. */
export const RAISE = 'allow-list.raise';

const MAX_DECIMALS = 6;

/** A raise of a day's sum. The signing process reads it in the approval, and in no other row. */
export const raiseInput = z.strictObject({
  asset: z
    .string()
    .transform((text, context) => {
      const checked = text === NATIVE ? NATIVE : checkedAddress('evm', text);
      if (checked === undefined) context.addIssue('must be "native" or the address of a token');
      return checked ?? text;
    })
    .meta({ description: 'The asset as the allow-list names it: `native`, or the address of a token.' }),
  day: z.iso.date().meta({ description: 'The UTC day whose sum is raised, such as 2026-11-26.' }),
  amount: z
    .string()
    .regex(/^(0|[1-9]\d{0,17})(\.\d{1,6})?$/, `must be an amount with at most ${MAX_DECIMALS} decimals`)
    .meta({ description: 'What may be signed above the sum of the list, in the asset.' }),
});

export type Raise = z.output<typeof raiseInput>;

const network: SubjectSpec<Network> = {
  noun: 'network',
  kinds: [],
  read: async (sql, chain) => (isChainName(chain) ? findNetwork(sql, chain) : undefined),
  lock: async (tx, chain) => (isChainName(chain) ? findNetwork(tx, chain, { lock: 'share' }) : undefined),
  tenantOf: () => null,
};

/** Raises what may be signed in one day. The allow-list still decides who may be paid. */
export const raiseSum: DecisionSpec<Network, Raise> = {
  name: RAISE,
  title: 'raises the sum that may be signed for an asset of a network in one UTC day',
  permission: 'chain',
  subject: network,
  input: raiseInput,
  takesTwo: 'always',
  restsOn: ({ chainId }) => ({ chainId }),
  kept: async (_, { input }) => input,
  preview: async (_, { input: { asset, day, amount } }) => [
    { field: `${asset} on ${day}`, from: null, to: `${amount} more` },
  ],
  async execute(_, { id: chain, input }) {
    const result = { chain, ...input };
    return { after: result, result };
  },
};
