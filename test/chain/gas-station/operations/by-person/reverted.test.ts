/** @long */
import { keepChainReading } from '../../../../../src/chain/reconciliation/readings';
import { answersFalse, answersTrue } from '../../strategies/answers';
import {
  breaksOf,
  ether,
  execute,
  feesOf,
  posted,
  sendAs,
  type TestStation,
  testStation,
  unitsOf,
} from '../support';
import { byHand, OPERATIONS, revertedHash, transfer } from './decisions';

let world: TestStation;
beforeAll(async () => {
  world = await testStation();
});
afterAll(() => world.close());
const { exported, confirm } = byHand(() => world);

describe('reverted executions by a person', () => {
  it('books the gas of a revert, and gives another nonce', async () => {
    const [wallet] = await world.wallets(1, 5_000_000n, '0.01');
    const { id } = await world.sweep(wallet!.id);
    const first = (await exported(OPERATIONS, id)).transactions[0];
    const before = await world.held('gas', 'ETH');
    const code = (await world.chain.client.getCode({ address: world.token }))!;
    await world.chain.client.setCode({ address: world.token, bytecode: '0xfe' });
    const hash = await execute(world, first).catch(() => revertedHash(world.chain));
    await world.chain.mined(hash); // the node answers before it has made the block
    await world.chain.client.setCode({ address: world.token, bytecode: code });
    for (let times = 0; times < 2; times += 1)
      expect(await confirm(OPERATIONS, id, hash)).toMatchObject({
        status: 409,
        body: { code: 'invalid_transition', field: 'txHash', message: expect.stringContaining('reverted') },
      });
    const cost = await feesOf(world.chain, [hash]);
    expect(await world.held('gas', 'ETH')).toBe(ether(unitsOf(before) + cost));
    const again = (await exported(OPERATIONS, id)).transactions[0];
    expect(again.nonce).toBe(first.nonce + 1);
    const done = await execute(world, again);
    expect((await confirm(OPERATIONS, id, done)).body.status).toBe('completed');
    expect(await world.held('gas', 'ETH')).toBe(
      ether(unitsOf(before) + cost + (await feesOf(world.chain, [done]))),
    );
  });

  it('exports nothing while the token answers false, which moves nothing and does not revert', async () => {
    const [wallet] = await world.wallets(1, 2_000_000n, '0.01');
    expect(await world.failing(wallet!.id)).toEqual([]);
    const { id } = await world.sweep(wallet!.id);
    const restore = await answersFalse(world);
    expect(await world.failing(wallet!.id)).toEqual(['gas', 'nothing_open']);
    const refused = await world.admin.call('GET', `${OPERATIONS}/${id}/export`);
    await restore();
    expect([refused.status, refused.body.message]).toEqual([409, 'The chain would refuse it.']);
    const restoreToo = await answersTrue(world);
    const [transaction] = (await exported(OPERATIONS, id)).transactions;
    expect((await confirm(OPERATIONS, id, await execute(world, transaction))).body.status).toBe('completed');
    await restoreToo();
  });

  it.each([
    ['is confirmed again', (id: string, hash: string) => confirm(OPERATIONS, id, hash)],
    ['the service finds', (id: string) => world.advance(id)],
  ])('books once a followed revert that %s, and follows the next transaction instead', async (_, find) => {
    const { chain, token } = world;
    const [wallet] = await world.wallets(1, 5_000_000n, '0.01');
    const { id } = await world.sweep(wallet!.id);
    const first = (await exported(OPERATIONS, id)).transactions[0];
    const before = await world.held('gas', 'ETH');
    const code = (await chain.client.getCode({ address: token }))!;
    await chain.client.setAutomine(false);
    const hash = await execute(world, first);
    expect((await confirm(OPERATIONS, id, hash)).body).toMatchObject({
      status: 'confirming',
      txHash: hash,
    });
    await chain.client.setCode({ address: token, bytecode: '0xfe' });
    await chain.client.mine({ blocks: 1 });
    await chain.client.setCode({ address: token, bytecode: code });
    await chain.client.setAutomine(true);
    await find(id, hash);
    const forgot = await world.read(id);
    expect([forgot.status, forgot.txHash]).toEqual(['awaiting_confirmation', undefined]);
    await world.advance(id);
    const cost = await feesOf(chain, [hash]);
    expect(await world.held('gas', 'ETH')).toBe(ether(unitsOf(before) + cost));
    const again = (await exported(OPERATIONS, id)).transactions[0];
    await chain.client.setAutomine(false);
    const done = await execute(world, again);
    expect((await confirm(OPERATIONS, id, done)).body.status).toBe('confirming');
    expect(await world.advance(id)).toMatchObject({ status: 'confirming' });
    await chain.client.mine({ blocks: 1 });
    await chain.client.setAutomine(true);
    expect(await world.lead(id)).toMatchObject({ status: 'completed' });
    expect(await world.held('gas', 'ETH')).toBe(
      ether(unitsOf(before) + cost + (await feesOf(chain, [done]))),
    );
  });

  it("books a revert after the operation's end once, with a break", async () => {
    const [wallet] = await world.wallets(1, 5_000_000n, '0.01');
    const { id } = await world.sweep(wallet!.id);
    await exported(OPERATIONS, id);
    await posted(world.admin, `${OPERATIONS}/${id}/fail`, { reason: 'test' });
    const before = await world.held('gas', 'ETH');
    const data = transfer(world.treasury, 10n ** 15n);
    const hash = await sendAs(world.chain, wallet!.address, { to: world.token, data }).catch(() =>
      revertedHash(world.chain),
    );
    for (let times = 0; times < 2; times += 1) expect((await confirm(OPERATIONS, id, hash)).status).toBe(409);
    const cost = await feesOf(world.chain, [hash]);
    expect(await world.held('gas', 'ETH')).toBe(ether(unitsOf(before) + cost));
    expect(await world.read(id)).toMatchObject({ status: 'failed' });
    expect(await breaksOf(world, id)).toMatchObject([{ kind: 'gas_operation_late', detail: hash }]);
    const next = await world.sweep(wallet!.id);
    const { message } = (await confirm(OPERATIONS, next.id, hash)).body;
    expect(message).toContain(`another operation, ${id}`);
    await posted(world.admin, `${OPERATIONS}/${next.id}/fail`, { reason: 'test' });
  });

  /** An operation that a person executed and whose transaction the chain has lost. */
  async function lost() {
    const [wallet] = await world.wallets(1, 4_000_000n, '0.05');
    const before = await world.chain.client.snapshot();
    const first = await world.sweep(wallet!.id);
    const [transaction] = (await exported(OPERATIONS, first.id)).transactions;
    const hash = await execute(world, transaction);
    expect((await confirm(OPERATIONS, first.id, hash)).body.status).toBe('completed');
    await world.chain.client.revert({ id: before });
    const second = await world.sweep(wallet!.id);
    expect((await exported(OPERATIONS, second.id)).transactions[0].nonce).toBe(0);
    const vanished = { kind: 'gas_operation_vanished', detail: `${wallet!.address}/0` };
    expect(await breaksOf(world, first.id)).toMatchObject([vanished]);
    await posted(world.admin, `${OPERATIONS}/${second.id}/fail`, { reason: 'test' });
    return { id: first.id, transaction, hash };
  }

  async function isShown(id: string) {
    await keepChainReading(world.api.services, 'local');
    return (await breaksOf(world, id)).some(({ open }) => open);
  }

  it('gives the nonce of a lost execution to the next operation, and shows it', async () => {
    const { id, transaction, hash } = await lost();
    expect(await isShown(id)).toBe(true);
    expect(await execute(world, transaction)).toBe(hash);
    expect(await isShown(id)).toBe(false);
  });

  it('shows a lost revert until a block has it again as a revert', async () => {
    const [wallet] = await world.wallets(1, 4_000_000n, '0.05');
    const { client } = world.chain;
    const before = await client.snapshot();
    const first = await world.sweep(wallet!.id);
    const [transaction] = (await exported(OPERATIONS, first.id)).transactions;
    const reverts = async () => {
      const code = (await client.getCode({ address: world.token }))!;
      await client.setCode({ address: world.token, bytecode: '0xfe' });
      const hash = await execute(world, transaction).catch(() => revertedHash(world.chain));
      expect((await world.chain.mined(hash)).status).toBe('reverted');
      await client.setCode({ address: world.token, bytecode: code });
      return hash;
    };
    expect((await confirm(OPERATIONS, first.id, await reverts())).status).toBe(409);
    await posted(world.admin, `${OPERATIONS}/${first.id}/fail`, { reason: 'test' });
    await client.revert({ id: before });
    const second = await world.sweep(wallet!.id);
    await exported(OPERATIONS, second.id);
    expect(await isShown(first.id)).toBe(true);
    await reverts();
    expect(await isShown(first.id)).toBe(false);
  });

  it('keeps showing a lost execution that comes back as a revert', async () => {
    const { id, transaction, hash } = await lost();
    const { client } = world.chain;
    const code = (await client.getCode({ address: world.token }))!;
    await client.setCode({ address: world.token, bytecode: '0xfe' });
    await execute(world, transaction).catch(() => undefined);
    const { status } = await world.chain.mined(hash);
    await client.setCode({ address: world.token, bytecode: code });
    expect(status).toBe('reverted');
    expect(await isShown(id)).toBe(true);
  });
});
