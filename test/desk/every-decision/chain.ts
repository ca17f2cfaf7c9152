import { type Hex, parseEther } from 'viem';
import { RAISE } from '../../../src/chain/signing/raise';
import { fundNative } from '../../chain/gas-station/operations/support';
import { TERMS } from '../../chain/gas-station/support';
import { PASS_ON } from '../../parties/chain/raw-contracts';
import { setAdminLimit, setLimits } from '../../support/operator';
import { key } from '../support';
import { bindNothing, type Case, decided, type EveryWorld, type Rows } from './world';

const mine = ({ chain: { chain } }: EveryWorld, blocks: number) => chain.client.mine({ blocks });

const sendOn = ({ chain: { chain } }: EveryWorld, payer: Hex, address: string): Promise<Hex> =>
  chain.client.writeContract({
    address: payer,
    abi: PASS_ON,
    functionName: 'passOn',
    args: [address as Hex],
    value: parseEther('1'),
  });

/** An ether that a contract has passed on to a wallet. No transaction shows it. */
async function passedOn(world: EveryWorld) {
  const { chain } = world;
  const account = await chain.account('ETH');
  const address = await chain.wallet(account);
  await chain.read();
  const payer = await chain.chain.deploy('TestPayer');
  const snapshot = await chain.chain.client.snapshot();
  const hash = await sendOn(world, payer, address);
  await chain.chain.mined(hash);
  await mine(world, 3);
  return { account, snapshot, input: { chain: 'local', address, amount: '1', hash } };
}

/** A coin that two operators have recorded, and that the chain no longer shows. */
async function gone(world: EveryWorld): Promise<string> {
  const { client } = world.chain.chain;
  const { snapshot, input } = await passedOn(world);
  const { approval } = await decided(world, 'chain-deposit.record', undefined, input);
  const { body } = await world.bob('POST', `approvals/${approval.id}/approve`, {}, key());
  await world.chain.read();
  await client.revert({ id: snapshot });
  await client.increaseTime({ seconds: 60 });
  await mine(world, 8);
  return body.result.id;
}

/** A payment above the limit, whose credit an operator has rejected. */
async function held(world: EveryWorld): Promise<string> {
  const { api, chain } = world;
  await setAdminLimit(api.database, '1000000');
  await setLimits(api.database, { dualControl: 'on' });
  const address = await chain.wallet(await chain.account());
  await chain.chain.pay(chain.token, address, 3_000_000n * 10n ** 6n);
  await mine(world, 3);
  await chain.read();
  const { id } = (await chain.deposits()).find(({ terms }) => terms['address'] === address)!;
  const { body } = await world.ida('GET', 'approvals');
  const approval = body.data.find(({ subject }: { subject: string }) => subject === id);
  await world.ida('POST', `approvals/${approval.id}/reject`, { reason: 'who pays this?' }, key());
  await bindNothing(api);
  return id;
}

async function wallet(world: EveryWorld, isDisabled: boolean): Promise<Case> {
  const address = await world.chain.wallet();
  const id = String(await world.value('select id from wallets where address = $1', address));
  if (!isDisabled) await decided(world, 'wallet.disable', id);
  const see = () => world.value(`select status = 'disabled' from wallets where id = $1`, id);
  return { subject: id, see, shown: isDisabled };
}

async function assignedWallet(world: EveryWorld): Promise<Case> {
  const address = await world.chain.wallet(await world.chain.account());
  const id = String(await world.value('select id from wallets where address = $1', address));
  const see = () => world.value(`select status = 'quarantined' from wallets where id = $1`, id);
  return { subject: id, see, shown: true };
}

/** A gas station with ether and a treasury, which sweeps nothing by itself. */
export async function station({ api, chain }: EveryWorld) {
  const admin = await api.client('admin');
  const path = '/v1/gas-station/config/local';
  let { body } = await admin.call('GET', path);
  if (body.stationAddress === undefined) {
    const made = await admin.call('POST', '/v1/gas-station/wallet/generate', { chain: 'local' });
    await fundNative(chain.chain, made.body.address, parseEther('10'));
    ({ body } = await admin.call('GET', path));
  }
  const caps = { maxGasPrice: '10000', dailyGasBudget: '1000' };
  const told = await admin.call('PUT', path, { ...TERMS, ...caps, version: body.version });
  if (told.status !== 200) throw new Error(told.text);
  return admin;
}

/** Decisions of a key ceremony permit a command, and change nothing themselves. */
async function permitted(world: EveryWorld, action: string): Promise<Pick<Case, 'see' | 'shown'>> {
  const count = `select count(*)::int from approvals where status = 'approved' and kind = $1`;
  const see = async () => Number(await world.value(count, `wallet-seed.permit-${action}`));
  return { see, shown: (await see()) + 1 };
}

export const CHAIN: Rows = {
  'chain-deposit.record': {
    two: true,
    async make(world) {
      const { account, input } = await passedOn(world);
      const shown = Number(await world.chain.available(account)) + 1;
      async function see() {
        await world.chain.read();
        return Number(await world.chain.available(account));
      }
      return { input, see, shown };
    },
  },
  'chain-deposit.take-back': {
    two: true,
    async make(world) {
      const id = await gone(world);
      const see = () => world.value('select status from transfers where id = $1', id);
      return { subject: id, see, shown: 'uncredited' };
    },
  },
  'chain-deposit.credit': {
    two: true,
    async make(world) {
      const id = await held(world);
      const see = () => world.value('select status from transfers where id = $1', id);
      return { subject: id, see, shown: 'credited' };
    },
  },
  'stray.claim': {
    async make({ chain, ...world }) {
      const address = await chain.wallet();
      const hash = await chain.chain.pay(chain.token, address, 2_000_000n);
      const see = () =>
        world.value(`select count(*)::int from transfers where terms ->> 'address' = $1`, address);
      return { input: { chain: 'local', hash }, see, shown: 1 };
    },
  },
  'stray.recover': {
    two: true,
    async make(world) {
      await station(world);
      const { chain } = world;
      const [address, token] = [await chain.wallet(), await chain.chain.token()];
      await chain.chain.pay(token, address, 5n);
      const see = () => world.value('select count(*)::int from token_recoveries where token = $1', token);
      return { input: { chain: 'local', address, token }, see, shown: 1 };
    },
  },
  'wallet.release': { make: (world) => assignedWallet(world) },
  'wallet.disable': { make: (world) => wallet(world, true) },
  'wallet.enable': { make: (world) => wallet(world, false) },
  'wallet-seed.skip-to': {
    async make(world) {
      await world.chain.wallet();
      const { body } = await world.ida('GET', 'lists/wallet-seed');
      const index = Number(body.data[0].nextIndex) + 5;
      const see = async () => Number((await world.ida('GET', 'lists/wallet-seed')).body.data[0].nextIndex);
      return { input: { index }, see, shown: index };
    },
  },
  'wallet-seed.permit-export': {
    two: true,
    async make(world) {
      await world.chain.wallet();
      return { input: { form: 'shares', shares: 5, threshold: 3 }, ...(await permitted(world, 'export')) };
    },
  },
  'wallet-seed.permit-import': {
    two: true,
    async make(world) {
      await world.chain.wallet();
      const [{ fingerprint }] = (await world.ida('GET', 'lists/wallet-seed')).body.data;
      return { input: { fingerprint }, ...(await permitted(world, 'import')) };
    },
  },
  'allow-list.submit': {
    async make(world) {
      const sequence = Date.now();
      const firstAddress = `0x${'1'.repeat(40)}`;
      const expiresAt = '2100-01-01T00:00:00Z';
      const list = JSON.stringify({ version: 1, firstAddress, sequence, expiresAt, networks: [] });
      const signature = Buffer.alloc(64).toString('base64');
      const signed = `select operator from allow_list_signatures join allow_lists using (digest) where sequence = $1`;
      return { input: { list, signature }, see: () => world.value(signed, sequence), shown: 'ida' };
    },
  },
  'allow-list.raise': {
    two: true,
    async make(world) {
      await station(world);
      const amount = String(Date.now()); // each run asks for another one
      const raised = `select terms ->> 'amount' from approvals where kind = $1 and status = 'approved' and terms ->> 'amount' = $2`;
      const input = { asset: 'native', day: '2026-11-26', amount };
      return {
        subject: 'local',
        input,
        see: () => world.value(raised, RAISE, amount),
        shown: amount,
      };
    },
  },
  'gas-station.config': {
    two: true,
    async make(world) {
      await station(world);
      const see = () => world.value(`select auto_sweep from gas_configs where chain = 'local'`);
      return { subject: 'local', input: { autoSweep: true }, see, shown: true };
    },
  },
  'gas-operation.expire': {
    async make(world) {
      const admin = await station(world);
      const address = await world.chain.wallet(await world.chain.account());
      await world.chain.chain.pay(world.chain.token, address, 1n);
      const walletId = await world.value('select id from wallets where address = $1', address);
      await world.value('update wallet_allocations set ended_at = now() where wallet_id = $1', walletId);
      await world.value(`update wallets set status = 'available' where id = $1`, walletId);
      const { body, status, text } = await admin.call('POST', '/v1/gas-station/topup-operations', {
        walletId,
      });
      if (status >= 300) throw new Error(text);
      const see = () => world.value('select expires_at <= now() from gas_operations where id = $1', body.id);
      return { subject: body.id, see, shown: true };
    },
  },
  'network.config': {
    two: true,
    async make(world) {
      const see = () => world.value(`select confirmations from networks where chain = 'local'`);
      const confirmations = (await see()) === 3 ? 2 : 3;
      return { subject: 'local', input: { confirmations }, see, shown: confirmations };
    },
  },
};
