import { z } from 'zod';
import { instant, money } from '../../kernel/wire/schemas';
import { shown } from '../../kernel/wire/shown';
import { CHAIN_KINDS, FINALITIES } from '../../parties/chain/port';
import { awaitingApproval, pendingChanges } from '../pending-changes';
import { maskUrl } from './addresses';
import type { OpenedNetwork } from './operations';
import { FEE_MODELS } from './record';
import { ledgerDecimals } from './rules';

/** How a chain takes fees for data, as the configuration names it. */
export const feeModelSchema = () =>
  z.enum(FEE_MODELS).meta({
    description:
      'Names how the chain charges for data: `evm` by gas alone. `op` (OP stack) takes a fee of the chain below beside gas. ' +
      '`arbitrum` takes gas for the data of the chain below.',
  });

/** What makes a block final, as the configuration names it. */
export const finalitySchema = () =>
  z.enum(FINALITIES).meta({
    description:
      'Names what makes a payment final: its `confirmations`, or a later block that most nodes report as `safe` or `finalized`.',
  });

const shape = {
  chain: z.string().meta({ examples: ['local'] }),
  name: z.string(),
  kind: z.enum(CHAIN_KINDS).describe('Kind of the chain.'),
  chainId: z.int().meta({ description: 'EIP-155 chain id.' }),
  rpcUrls: z.array(z.string()).optional().meta({
    description:
      'For admins, masked: `https://node.example/***`. A mask that is sent back keeps the stored address.',
  }),
  explorerUrl: z.string().nullable(),
  confirmations: z.int().meta({
    description: 'Blocks that make a transaction final, its own included.',
  }),
  finality: finalitySchema(),
  requestsPerSecond: z
    .int()
    .nullable()
    .meta({ description: 'Limits the calls to each node in a second. Null means no limit.' }),
  enabled: z.boolean().describe('True when blocks are read and wallets are allocated.'),
  feeModel: feeModelSchema(),
  version: z.int(),
  assets: z.array(
    z.object({
      symbol: z.string().meta({ examples: ['USDT', 'ETH', 'BNB'] }),
      contract: z
        .string()
        .optional()
        .meta({ description: 'Contract of the token. Absent for the native coin.' }),
      decimals: z.int(),
      minDeposit: money().meta({ description: 'In the asset. A smaller deposit is not credited.' }),
    }),
  ),
  createdAt: instant(),
  updatedAt: instant(),
  pending: pendingChanges(),
};

/** A network on the wire (decisions part 4). */
export const networkSchema = z.object(shape).meta({ id: 'Network' });

/** Answer of a PUT that waits for approval: the unchanged configuration. For a new network only the approval. */
export const networkAwaiting = awaitingApproval(z.object(shape).partial().shape, 'NetworkAwaitingApproval');

/** @param shown.rpcUrls node addresses, which only an admin's request opens */
export const networkView = ({
  network,
  rpcUrls,
}: Pick<OpenedNetwork, 'network'> & Partial<OpenedNetwork>): z.output<typeof networkSchema> =>
  shown(networkSchema, network, {
    rpcUrls: rpcUrls?.map(maskUrl),
    assets: network.assets.map((asset) => ({
      symbol: asset.symbol,
      contract: asset.contract ?? undefined,
      decimals: asset.decimals,
      minDeposit: asset.minDeposit.toFixed(ledgerDecimals(asset)),
    })),
    pending: undefined,
  });
