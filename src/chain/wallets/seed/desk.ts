import { z } from 'zod';
import { decision, installation, type SubjectSpec } from '../../../process/desk/decision';
import { type Desk, defineDesk } from '../../../process/desk/desk';
import { columnsOf, list, pageOfAll } from '../../../process/desk/list';
import type { Services } from '../../../services';
import { lockDerivation, nextIndex } from '../store';
import { EXPORT, IMPORT } from './ceremonies';
import { seedDecisions } from './decisions';
import { assertFloor, seedStatus, skipTo } from './seed';

type Seed = Awaited<ReturnType<typeof seedStatus>>;
const columns = columnsOf<Seed>();
const place = () => ({ since: new Date(0), id: 'seed' });

/**
 * The desk of the seed that wallets are derived from. No face takes or shows the seed: two people decide here, and a
 * command of the installation exports or imports it, because no secret must pass through a request.
 */
export const walletSeedDesk = ({ database, keyring }: Pick<Services, 'database' | 'keyring'>): Desk =>
  defineDesk({
    name: 'wallet-seed',
    title: 'What the keys of all wallets are derived from (BIP-39, BIP-44)',
    lists: [
      list({
        name: 'wallet-seed',
        verb: 'status',
        title:
          'whether there is a seed, its first address, whether it is in use, and the index of the next wallet',
        filters: z.object({}),
        columns: {
          status: columns.status('status', statusOf),
          createdAt: columns.time('created', ({ createdAt }) =>
            createdAt === null ? null : new Date(createdAt),
          ),
          fingerprint: columns.text('fingerprint', ({ fingerprint }) => fingerprint),
          firstAddress: columns.text('first address', ({ firstAddresses }) => firstAddresses?.evm),
          nextIndex: columns.text('next index', ({ nextIndex: next }) => next.evm),
        },
        rows: async (page) => pageOfAll([await seedStatus(database, keyring)], place, page),
        place,
        decisions: ['wallet-seed.skip-to', EXPORT, IMPORT],
      }),
    ],
    decisions: [
      decision<Floor, { index: number }>({
        name: 'wallet-seed.skip-to',
        title: 'derives no wallet below an index from now on, after a restore; it is only ever raised',
        permission: 'chain',
        subject: floor,
        input: z.strictObject({
          index: z.int().min(0).meta({ description: 'Of the next wallet: above all that were derived.' }),
        }),
        restsOn: ({ next }) => ({ 'next index': next }),
        async preview(_, { subject: { next }, input: { index } }) {
          assertFloor(next, index);
          return [{ field: 'next index', from: String(next), to: String(index) }];
        },
        async execute(tx, { input: { index } }) {
          const { before, after } = await skipTo(tx, 'evm', index);
          return { before: { evm: before }, after: { evm: after }, result: { nextIndex: { evm: after } } };
        },
      }),
      ...seedDecisions(keyring),
    ],
  });

const statusOf = ({ exists, inUse }: Seed): string => {
  if (!exists) return 'none';
  return inUse ? 'in use' : 'not in use';
};

/** The index of the next wallet. */
interface Floor {
  next: number;
}

const floor: SubjectSpec<Floor> = {
  ...installation,
  read: async (sql) => ({ next: await nextIndex(sql, 'evm') }),
  async lock(tx) {
    await lockDerivation(tx, 'evm');
    return { next: await nextIndex(tx, 'evm') };
  },
};
