import { randomBytes } from 'node:crypto';
import type { Address } from 'viem';
import { boundByBooks } from '../../../src/chain/gas-station/booked-bound';
import { receiveScreenings } from '../../../src/transfers/screened';
import { screeningsOf } from '../../../src/transfers/screening/operations';
import { testKeyring } from '../../support/keyring';
import { operatorOf } from '../../support/operator';
import { openWorld, type World } from './support';

export const UNITS = 25_000_000n;
export const ORDINARY = 'abc123';

/** A real chain with payers of magic addresses, the sandbox's screening party over HTTP, and two operators. */
export function screenedWorld() {
  const masterKey = randomBytes(32);
  const clock = { aheadMs: 0 };
  let world: World;
  let account: string;

  async function open() {
    world = await openWorld({
      keyring: testKeyring(masterKey),
      now: () => new Date(Date.now() + clock.aheadMs),
    });
    const ida = await operatorOf(world.api, masterKey, {}, 'ida');
    const bob = await operatorOf(world.api, masterKey, {}, 'bob');
    account = await world.account();
    await world.read();
    return { world, account, ida, bob };
  }

  /** Sends 25 USDT from an address with this ending. @returns the wallet */
  async function sent(ending: string, to?: string): Promise<string> {
    const { chain, token } = world;
    const address = to ?? (await world.wallet(account));
    const from: Address = `0x${'7'.repeat(34)}${ending}`;
    await chain.client.setBalance({ address: from, value: 10n ** 18n });
    await chain.client.impersonateAccount({ address: from });
    await chain.mined(await chain.write(token, 'TestUsdt', 'mint', [from, UNITS]));
    await chain.mined(await chain.write(token, 'TestUsdt', 'transfer', [address, UNITS], from as never));
    return address;
  }

  /** A final transfer from an address with this ending. @returns the wallet */
  async function paid(ending: string, to?: string): Promise<string> {
    const address = await sent(ending, to);
    await world.chain.client.mine({ blocks: 3 });
    await world.read();
    return address;
  }

  const found = async (address: string) => {
    const all = await world.deposits();
    return all.find(({ terms }) => terms['address'] === address) as (typeof all)[number];
  };

  return {
    open,
    sent,
    paid,
    found,
    /** Status, failure and result of the screening. */
    async stateOf(address: string) {
      const { id, status, failure } = await found(address);
      const [screening] = await screeningsOf(world.api.database, id);
      return [status, failure, screening?.status];
    },
    /** The open breaks of the deposit. */
    async breaksOf(address: string) {
      const { id } = await found(address);
      const text = `select kind, detail from breaks where subject = $1 and resolved_at is null order by kind`;
      return world.api.database.query<{ kind: string; detail: string }>(text, [id]);
    },
    pass: (seconds: number): void => void (clock.aheadMs += seconds * 1_000),
    /** The party's report, as its list or a callback brings it. */
    async told(address: string): Promise<void> {
      const { services, database } = world.api;
      const { id } = await found(address);
      const keys = (await screeningsOf(database, id)).map(({ key }) => key);
      await database.transaction((tx) => receiveScreenings(services, tx, keys));
      await world.looks();
    },
    /** Units that a sweep of the wallet may move. */
    async sweepable(address: string, status: 'allocated' | 'available', balance = UNITS) {
      const asset = { symbol: 'USDT', decimals: 6 };
      const wallet = { address, status, adopted: false };
      const bound = await boundByBooks(world.api.database, 'local', asset, [wallet]);
      return bound(wallet, balance);
    },
  };
}
