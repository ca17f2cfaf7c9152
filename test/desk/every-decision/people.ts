import { requestedCard } from '../../cards/cards/support';
import { pending } from '../../people/cardholders/support';
import { activeCard } from '../../support/cards';
import { userInReview } from '../../support/uploads';
import { type Case, decided, type EveryWorld, type Rows } from './world';

async function review(world: EveryWorld, shown: string): Promise<Case> {
  const id = await userInReview(await world.tenant(), { firstName: 'Ada' });
  return { subject: id, see: () => world.value('select kyc_status from users where id = $1', id), shown };
}

async function cardholder(world: EveryWorld, shown: string): Promise<Case> {
  const { id } = await pending(world.api, await world.tenant());
  return { subject: id, see: () => world.value('select status from cardholders where id = $1', id), shown };
}

/** A user with a card, whose user is blocked before an unblock. */
async function user(world: EveryWorld, shown: 'blocked' | 'active'): Promise<Case> {
  const client = await world.tenant();
  const { userId } = await activeCard(world.api, client);
  if (shown === 'active') await decided(world, 'user.block', userId);
  const see = async () => (await client.call('GET', `/v1/users/${userId}`)).body.status;
  return { subject: userId, see, shown };
}

async function card(world: EveryWorld, shown: 'frozen' | 'active'): Promise<Case> {
  const client = await world.tenant();
  const { id } = await activeCard(world.api, client);
  if (shown === 'active') await decided(world, 'card.freeze', id);
  const see = async () => (await client.call('GET', `/v1/cards/${id}`)).body.status;
  return { subject: id, see, shown };
}

/** A new BIN of each call. */
let bins = 0;
const newBin = () => String(45_000_000 + (bins += 1));
const BIN = { scheme: 'visa', currency: 'USD', model: 'B2B' };

async function bin(
  world: EveryWorld,
  column: string,
  shown: unknown,
  input?: Record<string, unknown>,
): Promise<Case> {
  const subject = newBin();
  await decided(world, 'bin.add', subject, BIN);
  const see = () => world.value(`select ${column} from bins where bin = $1`, subject);
  return { subject, see, shown, ...(input ? { input } : {}) };
}

export const PEOPLE: Rows = {
  'kyc.approve': { make: (world) => review(world, 'completed') },
  'kyc.reject': { make: (world) => review(world, 'rejected') },
  'kyc.request-resubmission': { make: (world) => review(world, 'resubmission_required') },
  'cardholder.approve': { make: (world) => cardholder(world, 'wait_audit') },
  'cardholder.reject': { make: (world) => cardholder(world, 'rejected_by_admin') },
  'user.block': { make: (world) => user(world, 'blocked') },
  'user.unblock': { make: (world) => user(world, 'active') },
  'user.erase': {
    two: true,
    async make(world) {
      const client = await world.tenant();
      const { userId } = await activeCard(world.api, client);
      await decided(world, 'user.block', userId);
      await world.value(`update users set updated_at = now() - interval '6 years' where id = $1`, userId);
      const see = () => world.value('select data_key is null from users where id = $1', userId);
      return { subject: userId, see, shown: true };
    },
  },
  'card.freeze': { make: (world) => card(world, 'frozen') },
  'card.unfreeze': { make: (world) => card(world, 'active') },
  'card-order.conclude': {
    two: true,
    async make(world) {
      const { id } = await requestedCard(world.api, await world.tenant(), { amount: '50.00' });
      const see = () => world.value('select status from cards where id = $1', id);
      return { subject: id, input: { as: 'failed' }, see, shown: 'failed' };
    },
  },
  'bin.add': {
    async make(world) {
      const subject = newBin();
      const see = () => world.value('select currency from bins where bin = $1', subject);
      return { subject, input: BIN, see, shown: 'USD' };
    },
  },
  'bin.admit': {
    async make(world) {
      const { clientId: client } = await world.tenant();
      const { subject } = await bin(world, 'bin', null);
      const text = 'select count(*)::int from tenant_bins where tenant_id = $1 and bin = $2';
      return {
        subject: subject!,
        input: { client },
        see: () => world.value(text, client, subject),
        shown: 1,
      };
    },
  },
  'bin.close': { make: (world) => bin(world, 'status', 'closed') },
  'bin.open': {
    async make(world) {
      const made = await bin(world, 'status', 'active');
      await decided(world, 'bin.close', made.subject);
      return made;
    },
  },
  'bin.set': { make: (world) => bin(world, 'capacity_per_cardholder', 3, { capacity: 3 }) },
  'bin.limits': {
    make: (world) => bin(world, 'max_per_day::text', '1000', { maxPerDay: '1000.00', blockCountry: ['KP'] }),
  },
};
