import { z } from 'zod';
import { orderRecovery, type Recoverable, recoverable } from '../../chain/gas-station/recoveries/order';
import { listRecoveries, type ShownRecovery } from '../../chain/gas-station/recoveries/read';
import { ledgerAmount } from '../../chain/networks/rules';
import { moneyText } from '../../kernel/money/money';
import { text } from '../../kernel/wire/schemas';
import { type Decision, decision, installation } from '../../process/desk/decision';
import { type Desk, defineDesk } from '../../process/desk/desk';
import { columnsOf, type List, list } from '../../process/desk/list';
import type { Services } from '../../services';
import { decimalsIn } from '../chain-deposits/discover';
import { claimStray, findStray, type StrayTransfers } from './claim';

/**
 * The desk of money that no payer should have sent so: on another network than the one of its address, and in a token
 * that no network lists.
 */
export const strayDesk = (services: Services): Desk =>
  defineDesk({
    name: 'stray',
    title: 'Money on the wrong network, and tokens that no network lists',
    lists: [recoveryList(services)],
    decisions: [claimDecision(services), recoverDecision(services)],
  });

const columns = columnsOf<ShownRecovery>();

const recoveryList = ({ database }: Services): List =>
  list({
    name: 'token-recoveries',
    verb: 'list',
    title:
      'recoveries of tokens that no network lists, with the balances that the token tells before and after',
    filters: z.object({
      chain: z.string().max(100).optional().meta({ description: 'For instance local.' }),
    }),
    columns: {
      id: columns.id('id', ({ operationId }) => operationId),
      chain: columns.text('chain', ({ chain }) => chain),
      token: columns.text('token', ({ token }) => token),
      address: columns.text('from', ({ address }) => address),
      treasury: columns.text('to', ({ treasury }) => treasury),
      status: columns.status('status', ({ status }) => status),
      waitsFor: columns.text('waits for', ({ waitsFor }) => waitsFor),
      movedUnits: columns.text('moved units', ({ movedUnits }) => movedUnits?.toString()),
      unitsBefore: columns.text('units before', ({ unitsBefore }) => unitsBefore.toString()),
      unitsAfter: columns.text('units after', ({ unitsAfter }) => unitsAfter?.toString()),
      treasuryBefore: columns.text('treasury before', (each) => each.treasuryBefore.toString()),
      treasuryAfter: columns.text('treasury after', (each) => each.treasuryAfter?.toString()),
      txHash: columns.text('transaction', ({ txHash }) => txHash),
      failure: columns.text('failure', ({ failureReason }) => failureReason),
      decidedBy: columns.text('approved by', ({ decidedBy }) => decidedBy),
      reason: columns.text('reason', ({ reason }) => reason),
      since: columns.since('since', ({ createdAt }) => createdAt),
    },
    rows: ({ filters: { chain }, after, limit }) => listRecoveries(database, { chain, after, limit }),
    place: ({ operationId, createdAt }) => ({ id: operationId, since: createdAt }),
  });

const chain = () => text(100).min(1).meta({ description: 'Its name, for instance local.' });

const claimInput = z.strictObject({
  chain: chain(),
  hash: text(100).min(1).meta({ description: 'Of the transaction that has paid.' }),
});

/** One operator suffices, because the chain proves the money, and it stands in suspense. */
const claimDecision = (services: Services): Decision =>
  decision<object, z.output<typeof claimInput>, StrayTransfers>({
    name: 'stray.claim',
    title:
      'books what a transaction has brought to addresses of ours on a network that they were not derived for; it waits in suspense once it is final',
    permission: 'chain',
    subject: installation,
    input: claimInput,
    restsOn: () => ({}),
    prove: ({ input: { chain: name, hash: txHash } }) => findStray(services, { chain: name, txHash }),
    preview: async (_, { proof: { network, transfers, balances } }) => [
      ...transfers.map(({ token, to, units }) => ({
        field: to,
        from: null,
        to: amountText(network, token, units),
      })),
      ...balances.map(({ token, to, units }) => {
        const now = amountText(network, token, units);
        return { field: `on the chain now at ${to}`, from: now, to: now };
      }),
    ],
    async execute(tx, { input, proof }) {
      const deposits = await claimStray(services, tx, proof);
      const shown = deposits.map(({ transfer: { id, status, terms } }) => ({
        id,
        status,
        address: terms.address,
      }));
      return { after: { ...input, deposits: shown.map(({ id }) => id) }, result: { deposits: shown } };
    },
  });

function amountText(network: StrayTransfers['network'], token: string | null, units: bigint): string {
  const asset = network.assets.find(({ contract }) => contract === token);
  if (!asset) return units.toString();
  const { amount } = ledgerAmount(units, decimalsIn(network, asset), asset.symbol);
  return moneyText({ amount, currency: asset.symbol });
}

const recoverInput = z.strictObject({
  chain: chain(),
  address: text(100).min(1).meta({ description: 'The address of ours that has the token.' }),
  token: text(100).min(1).meta({ description: 'Address of the contract of the token.' }),
});

/** Nothing is posted but the gas, because the ledger has no currency for the token. */
const recoverDecision = (services: Services): Decision =>
  decision<object, z.output<typeof recoverInput>, Recoverable>({
    name: 'stray.recover',
    title:
      'sends all of an unlisted token from an address of ours to the treasury, by a sweep; nothing but its gas is posted',
    permission: 'chain',
    subject: installation,
    input: recoverInput,
    takesTwo: 'always',
    restsOn: () => ({}),
    prove: ({ input }) => recoverable(services, input),
    preview: async (_, { proof: { address, treasury, units, treasuryUnits } }) => [
      { field: `units at ${address}`, from: units.toString(), to: '0' },
      {
        field: `units at the treasury ${treasury}`,
        from: treasuryUnits.toString(),
        to: (treasuryUnits + units).toString(),
      },
    ],
    async execute(tx, { proof }, by) {
      const { id } = await orderRecovery(services, tx, proof, by);
      const { address, token, treasury, units } = proof;
      const after = { chain: proof.network.chain, address, token, treasury, units: units.toString() };
      return { about: { id, tenantId: null }, after, result: { id, ...after } };
    },
  });
