import { openBreaksOf } from '../../../src/process/breaks/operations';
import { expectOk, type TronWorld } from './support';

export const SWEEPS = '/v1/gas-station/operations';
export const TOPUPS = '/v1/gas-station/topup-operations';

/** What an admin does with wallets, sweeps and top-ups of a chain that no node is asked about. */
export function gasDesk(world: TronWorld) {
  const get = async (path: string) => (await world.admin.call('GET', path)).body;
  const post = (path: string, body: object = {}) => world.admin.call('POST', path, body);
  const note = (address: string, gasBalance: string) =>
    expectOk(world.admin.call('PUT', `/v1/wallets/${address}/gas-balance?chain=tron`, { gasBalance }));
  const exported = (path: string, id: string) => expectOk(world.admin.call('GET', `${path}/${id}/export`));
  /** A wallet that has so much by the books, and gas that was noted. */
  async function ready(amount: string, gas = '100') {
    const wallet = await world.paid(amount);
    await note(wallet.address, gas);
    return wallet;
  }
  async function ordered(path: string, body: object) {
    const made = await expectOk(post(path, body));
    await exported(path, made.id);
    return made;
  }
  /** As it was made; it is exported since. */
  const sweep = (walletId: string) => ordered(SWEEPS, { walletId, asset: 'USDT' });
  return {
    ...{ get, post, note, exported, ready, sweep },
    topup: (walletId: string) => ordered(TOPUPS, { walletId }),
    async swept(amount: string) {
      const wallet = await ready(amount);
      return { ...(await sweep(wallet.id)), wallet };
    },
    balance: (address: string) => get(`/v1/wallets/${address}/balance?chain=tron`),
    preflight: (id: string) => get(`/v1/gas-station/sweep-preflight/${id}`),
    held: async (place: 'pool' | 'treasury') => Number(await world.booked(`${place}@tron:USDT`)),
    takeBack: (id: string) =>
      world.operator('gas-operation', 'take-back', id, '--reason', 'another wallet', '--json'),
    breaksOf: async (subject: string, of: string) =>
      (await openBreaksOf(world.api.database, subject)).flatMap(({ kind, detail }) =>
        kind === of ? [{ detail }] : [],
      ),
  };
}
