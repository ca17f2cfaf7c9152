import { execute, posted, sendAs, type TestStation, testStation } from '../support';
import { byHand, OPERATIONS, revertedHash, TOPUPS, transfer } from './decisions';

let world: TestStation;
beforeAll(async () => {
  world = await testStation();
});
afterAll(() => world.close());
const { exported, confirm } = byHand(() => world);

describe('confirmation by a hash', () => {
  it('refuses a transaction that is not the transfer, and the operation stays open', async () => {
    const { chain, token, treasury } = world;
    const other = await chain.token();
    const [wallet, neighbour] = await world.wallets(2, 50_000_000n, '0.05');
    await chain.pay(other, wallet!.address, 50_000_000n);
    const { id } = await world.sweep(wallet!.id);
    const from = wallet!.address;
    const send = (sender: string, to: typeof token, data: `0x${string}`) =>
      sendAs(chain, sender, { to, data });
    const wrong: [string, string][] = [
      ['the chain does not know it', `0x${'ab'.repeat(32)}`],
      ['its sender is another one', await send(neighbour!.address, token, transfer(treasury, 50_000_000n))],
      ['its recipient is another one', await send(from, token, transfer(neighbour!.address, 1_000_000n))],
      ['it moves another token', await send(from, other, transfer(treasury, 50_000_000n))],
      ['its amount is less', await send(from, token, transfer(treasury, 1_000_000n))],
      [
        'it was reverted',
        await send(from, token, transfer(treasury, 10n ** 15n)).catch(() => revertedHash(world.chain)),
      ],
    ];
    for (const [why, hash] of wrong) {
      const { status, body } = await confirm(OPERATIONS, id, hash);
      expect([why, status, body.code, body.field]).toEqual([why, 409, 'invalid_transition', 'txHash']);
      expect(body.message).toContain(why);
    }
    for (const txHash of ['', '0x12', 'x'.repeat(66), 7])
      expect((await world.admin.call('POST', `${OPERATIONS}/${id}/confirm`, { txHash })).body.field).toBe(
        'txHash',
      );
    expect(await world.read(id)).toMatchObject({ status: 'pending' });
    expect(await world.advance(id)).toMatchObject({ status: 'pending', open: true });
  });

  it('refuses a pending transaction that is not the transfer, or does not show it', async () => {
    const { chain, token, treasury } = world;
    const other = await chain.token();
    const [wallet, neighbour] = await world.wallets(2, 20_000_000n, '0.05');
    const { id } = await world.sweep(wallet!.id);
    const topup = await posted(world.admin, TOPUPS, { walletId: neighbour!.id, amount: '0.01' });
    const from = wallet!.address;
    const right = transfer(treasury, 20_000_000n);
    const send = (sender: string, to: typeof token, data: `0x${string}`, value = 0n) =>
      sendAs(chain, sender, { to, data, value });
    await chain.client.setAutomine(false);
    const wrong: [string, string, string][] = [
      [OPERATIONS, 'its sender is another one', await send(neighbour!.address, token, right)],
      [OPERATIONS, 'its recipient is another one', await send(from, token, transfer(neighbour!.address, 1n))],
      [OPERATIONS, 'it moves another token', await send(from, other, right)],
      [OPERATIONS, 'it moves another token', await send(from, treasury, '0x', 1n)],
      [OPERATIONS, 'its amount is less', await send(from, token, transfer(treasury, 19_999_999n))],
      [OPERATIONS, 'does not show what it moves', await send(from, token, '0x12345678')],
      [TOPUPS, 'its sender is another one', await send(from, neighbour!.address, '0x', 10n ** 16n)],
      [TOPUPS, 'its recipient is another one', await send(world.station, token, '0x', 10n ** 16n)],
      [TOPUPS, 'its amount is less', await send(world.station, neighbour!.address, '0x', 1n)],
    ];
    for (const [path, why, hash] of wrong) {
      const { status, body } = await confirm(path, path === OPERATIONS ? id : topup.id, hash);
      expect([why, status, body.code, body.field]).toEqual([why, 409, 'invalid_transition', 'txHash']);
      expect(body.message).toContain(why);
    }
    for (const each of [id, topup.id]) expect(await world.read(each)).toMatchObject({ status: 'pending' });
    const hash = await send(from, token, right);
    expect((await confirm(OPERATIONS, id, hash)).body).toMatchObject({ status: 'confirming', txHash: hash });
    const paid = await send(world.station, neighbour!.address, '0x', 10n ** 16n);
    expect((await confirm(TOPUPS, topup.id, paid)).body.status).toBe('confirming');
    await chain.client.setAutomine(true);
    await chain.client.mine({ blocks: 2 });
    await world.advance(topup.id);
    expect(await world.read(topup.id)).toMatchObject({ status: 'completed' });
  });

  it("books nothing for another sender's revert with the same nonce", async () => {
    const [wallet, stranger] = await world.wallets(2, 5_000_000n, '0.01');
    const { id } = await world.sweep(wallet!.id);
    const { nonce } = (await exported(OPERATIONS, id)).transactions[0];
    const before = await world.held('gas', 'ETH');
    const data = transfer(world.treasury, 10n ** 15n);
    const hash = await sendAs(world.chain, stranger!.address, { to: world.token, data }).catch(() =>
      revertedHash(world.chain),
    );
    expect((await world.chain.client.getTransaction({ hash })).nonce).toBe(nonce);
    const { status, body } = await confirm(OPERATIONS, id, hash);
    expect([status, body.message]).toEqual([409, expect.stringContaining('its sender is another one')]);
    expect(await world.held('gas', 'ETH')).toBe(before);
    expect((await exported(OPERATIONS, id)).transactions[0].nonce).toBe(nonce);
    await posted(world.admin, `${OPERATIONS}/${id}/fail`, { reason: 'test' });
  });

  it('refuses a transaction older than the operation, or with the nonce of an ended operation', async () => {
    const { chain, token, treasury } = world;
    const [old, wallet] = await world.wallets(2, 9_000_000n, '0.01');
    const data = transfer(treasury, 2_000_000n);
    const early = await sendAs(chain, old!.address, { to: token, data });
    world.later(61_000);
    const late = await world.sweep(old!.id);
    expect((await confirm(OPERATIONS, late.id, early)).body.message).toContain('before the operation');
    await posted(world.admin, `${OPERATIONS}/${late.id}/fail`, { reason: 'test' });
    world.later(-61_000);

    const first = await world.sweep(wallet!.id);
    const { transactions } = await exported(OPERATIONS, first.id);
    await posted(world.admin, `${OPERATIONS}/${first.id}/fail`, { reason: 'test' });
    const second = await world.sweep(wallet!.id);
    const hash = await execute(world, transactions[0]);
    const { status, body } = await confirm(OPERATIONS, second.id, hash);
    expect([status, body.message]).toEqual([409, expect.stringContaining(first.id)]);
    expect((await confirm(OPERATIONS, first.id, hash)).body).toMatchObject({ movedAmount: '9.000000' });
    await posted(world.admin, `${OPERATIONS}/${second.id}/fail`, { reason: 'test' });
  });

  it.each([
    [
      'as it was exported',
      async (id: string) => execute(world, (await exported(OPERATIONS, id)).transactions[0]),
    ],
    [
      'under a nonce that nobody was given',
      async (_: string, from: string) =>
        sendAs(world.chain, from, { to: world.token, data: transfer(world.treasury, 3_000_000n) }),
    ],
  ])('accepts a hash for one operation only, executed %s', async (_, executed) => {
    const [one] = await world.wallets(1, 3_000_000n, '0.01');
    const first = await world.sweep(one!.id);
    const hash = await executed(first.id, one!.address);
    await world.chain.mined(hash);
    expect((await confirm(OPERATIONS, first.id, hash)).body.status).toBe('completed');
    await world.chain.pay(world.token, one!.address, 3_000_000n);
    const second = await world.sweep(one!.id);
    const { status, body } = await confirm(OPERATIONS, second.id, hash);
    expect([status, body.message]).toEqual([409, expect.stringContaining('of another operation')]);
    await posted(world.admin, `${OPERATIONS}/${second.id}/fail`, { reason: 'test' });
  });
});
