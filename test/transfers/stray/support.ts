import { randomBytes } from 'node:crypto';
import type { Hex } from 'viem';
import { openMasterAccount } from '../../../src/accounts/accounts/operations';
import { compareNow } from '../../../src/chain/reconciliation/compare-now';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { readChain } from '../../../src/watch/chains/follow-blocks';
import { type TestStation, testStation } from '../../chain/gas-station/operations/support';
import type { Client } from '../../support/api';
import { testKeyring } from '../../support/keyring';
import { operatorOf, type TestOperator } from '../../support/operator';

export interface StrayWorld {
  world: TestStation;
  client: Client;
  /** An account of the client in USDT. */
  accountId: string;
  ida: TestOperator;
  bob: TestOperator;
  /** Reads all blocks of a chain. */
  read(chain: string): Promise<void>;
  /** Expects that a chain and the books are the same to the last unit. */
  reconciled(chain: string): Promise<void>;
  allocate(terms?: object): Promise<{ address: Hex; chain: string }>;
}

/** A station on a real chain `local`, a client with an account, and two operators. */
export async function strayWorld(): Promise<StrayWorld> {
  const key = randomBytes(32);
  const world = await testStation({ wiring: { keyring: testKeyring(key) } });
  const { services, api } = world;
  const ida = await operatorOf(api, key);
  const bob = await operatorOf(api, key, {}, 'bob');
  const client = await api.client();
  const { account } = await services.database.transaction((tx) =>
    openMasterAccount(tx, client.clientId, 'USDT'),
  );
  async function read(chain: string): Promise<void> {
    while ((await readChain(services, chain)) !== 'rests');
  }
  let references = 0;
  return {
    world,
    client,
    accountId: account.id,
    ida,
    bob,
    read,
    async reconciled(chain) {
      await read(chain);
      const lines = await compareNow(services, chain);
      const shown = lines.map(({ asset, compared }) => [
        compared?.place,
        asset,
        compared?.difference.toFixed(),
      ]);
      // The fixture has set the coins of this station without a transaction.
      const isSet = (place: unknown) => chain === 'local' && place === 'station';
      expect(shown).toEqual(shown.map(([place, asset]) => [place, asset, isSet(place) ? '10' : '0']));
      expect(shown.length).toBeGreaterThan(0);
      expect(await checkLedger(services.database)).toEqual([]);
    },
    async allocate(terms = {}) {
      const asked = { chain: 'local', asset: 'USDT', accountId: account.id, permanent: true, ...terms };
      const { body, status, text } = await client.call('POST', '/v1/wallets/allocate', {
        ...asked,
        reference: `order-${references++}`,
      });
      if (status >= 300) throw new Error(text);
      return body;
    },
  };
}

export const REASON = ['--reason', 'the payer has told us', '--json'];
