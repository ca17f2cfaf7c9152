import { z } from 'zod';
import type { WaitingPlace } from '../../kernel/db/waiting';
import { checkedAddress } from '../../parties/chain/addresses';
import { type Decision, decision, type SubjectSpec } from '../../process/desk/decision';
import { type Desk, defineDesk } from '../../process/desk/desk';
import { finder } from '../../process/desk/finder';
import { columnsOf, type List, list, pageOfAll } from '../../process/desk/list';
import { record } from '../../process/desk/record';
import type { Services } from '../../services';
import { releaseWallet } from './allocations/end';
import { lockWithScope } from './allocations/scope-store';
import { newestAllocationOf } from './allocations/store';
import { disableWallet, enableWallet } from './disable';
import { findWalletById, listWallets, type PoolStats, poolStats, shownAddress } from './operations';
import { WALLET_STATUSES, type Wallet, walletStatusAfter } from './record';
import { allocationStory, walletStory } from './story';

type WalletDeskServices = Pick<
  Services,
  'commands' | 'database' | 'keyring' | 'now' | 'walletQuarantineSeconds'
>;

/** The desk of the addresses that take deposits on chains. */
export const walletDesk = (services: WalletDeskServices): Desk =>
  defineDesk({
    name: 'wallet',
    title: 'Wallets that take deposits on chains',
    lists: [walletList(services), statsList(services)],
    records: [
      record({
        kind: 'wallet',
        title: 'A wallet',
        story: (id, limit) => walletStory(services, id, limit),
      }),
      record({
        kind: 'walletAllocation',
        title: 'An allocation of a wallet to a payer',
        story: (id, limit) => allocationStory(services, id, limit),
      }),
    ],
    decisions: [releaseDecision(services), disableDecision(services), enableDecision(services)],
    finds: [
      finder({
        name: 'wallet-by-address',
        title: 'the address of a wallet',
        pattern: /^0x[0-9a-f]{40}$/i,
        async find(text, limit) {
          // The address is stored with its checksum.
          const address = checkedAddress('evm', text) ?? text;
          const found = await listWallets(services.database, { address }, { rows: limit }, services.now());
          return found.map(({ id, status, createdAt: at }) => ({ id, tenantId: null, status, at }));
        },
      }),
    ],
  });

const wallets = columnsOf<Wallet>();
const pools = columnsOf<PoolStats>();

const walletList = ({ database, keyring, now }: WalletDeskServices): List =>
  list({
    name: 'wallets',
    title: 'wallets of the pool and of stations, newest first',
    filters: z.object({
      chain: z.string().max(100).optional(),
      status: z.enum(WALLET_STATUSES).optional(),
      purpose: z.enum(['pool', 'station']).optional(),
      address: z.string().max(100).optional().meta({ description: 'With its checksum.' }),
    }),
    columns: {
      id: wallets.id('id', ({ id }) => id),
      chain: wallets.text('chain', ({ chain }) => chain),
      address: wallets.text('address', (wallet) => shownAddress(keyring, wallet)),
      purpose: wallets.text('purpose', ({ purpose }) => purpose),
      scope: wallets.text('scope', ({ scope }) => scope),
      adopted: wallets.text('adopted', ({ adopted }) => (adopted ? 'yes' : null)),
      status: wallets.status('status', ({ status }) => status),
      since: wallets.since('since', ({ updatedAt }) => updatedAt),
      created: wallets.time('created', ({ createdAt }) => createdAt),
    },
    rows: ({ filters, after, limit }) =>
      listWallets(database, filters, { after: after?.id, rows: limit }, now()),
    place: ({ id, createdAt }) => ({ id, since: createdAt }),
    decisions: ['wallet.release', 'wallet.disable', 'wallet.enable'],
  });

const placeOfPool = ({ chain }: PoolStats): WaitingPlace => ({ since: new Date(0), id: chain });

const statsList = ({ database, now }: WalletDeskServices): List =>
  list({
    name: 'wallet-stats',
    verb: 'stats',
    title: 'how many wallets the pool of each network has',
    filters: z.object({}),
    columns: {
      chain: pools.text('chain', ({ chain }) => chain),
      available: pools.text('available', ({ available }) => available),
      allocated: pools.text('allocated', ({ allocated }) => allocated),
      quarantined: pools.text('quarantined', ({ quarantined }) => quarantined),
      disabled: pools.text('disabled', ({ disabled }) => disabled),
      total: pools.text('total', ({ total }) => total),
    },
    rows: async (page) => pageOfAll(await poolStats(database, now()), placeOfPool, page),
    place: placeOfPool,
  });

const subject: SubjectSpec<Wallet> = {
  noun: 'wallet',
  kinds: ['wallet'],
  read: (sql, id) => findWalletById(sql, id),
  lock: (tx, id) => lockWithScope(tx, { id }),
  tenantOf: () => null,
};

const releaseDecision = (services: WalletDeskServices): Decision =>
  decision<Wallet>({
    name: 'wallet.release',
    title: 'ends its allocation, on all networks of its scope; later payments are kept uncredited',
    permission: 'chain',
    subject,
    restsOn: ({ status }) => ({ status }),
    async preview(tx, { subject: { id, status } }) {
      const to = walletStatusAfter(status, 'end');
      const held = await newestAllocationOf(tx, null, id);
      const ended = held ? [{ field: 'allocation', from: held.id, to: null }] : [];
      return [{ field: 'status', from: status, to }, ...ended];
    },
    async execute(tx, { subject: { chain, address, status } }) {
      walletStatusAfter(status, 'end');
      const {
        allocation,
        wallet,
        networks = [chain],
      } = await releaseWallet(services, tx, { chain, address }, null);
      const after = { status: wallet.status, ended: allocation.id };
      return { before: { status }, after, result: { chain, address, networks, ...after } };
    },
  });

const disableDecision = (services: WalletDeskServices): Decision =>
  decision<Wallet>({
    name: 'wallet.disable',
    title: 'nobody gets it any more, and whoever had it has it no more; what comes to it is kept uncredited',
    permission: 'chain',
    subject,
    restsOn: ({ status }) => ({ status }),
    async preview(tx, { subject: { id, status } }) {
      const held = status === 'allocated' ? await newestAllocationOf(tx, null, id) : undefined;
      const ended = held ? [{ field: 'allocation', from: held.id, to: null }] : [];
      return [{ field: 'status', from: status, to: walletStatusAfter(status, 'disable') }, ...ended];
    },
    async execute(tx, { subject: named }) {
      const { before, after, ended } = await disableWallet(services, tx, named);
      const { chain, address, status } = after;
      return {
        before: { status: before.status },
        after: { status, ended },
        result: { chain, address, status, ended },
      };
    },
  });

const enableDecision = (services: WalletDeskServices): Decision =>
  decision<Wallet>({
    name: 'wallet.enable',
    title: 'the tenant that had it may get it again, after the rest of one that was released',
    permission: 'chain',
    subject,
    reason: 'optional',
    restsOn: ({ status }) => ({ status }),
    preview: async (_, { subject: { status } }) => [
      { field: 'status', from: status, to: walletStatusAfter(status, 'enable') },
    ],
    async execute(tx, { subject: named }) {
      const { before, after } = await enableWallet(services, tx, named);
      const { chain, address, status } = after;
      return { before: { status: before.status }, after: { status }, result: { chain, address, status } };
    },
  });
