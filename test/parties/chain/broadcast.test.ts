/** @long */
import { type Hex, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { testChains } from './node-double';
import { ALICE, HASTY_MS, thrownBy, twoNodes } from './two-nodes';

const world = twoNodes();

describe('a broadcast', () => {
  const key = generatePrivateKey();
  const payer = privateKeyToAccount(key).address;
  let signed: string;

  beforeAll(() => world.chain.pay(null, payer, parseEther('10')));
  beforeEach(async () => {
    signed = await privateKeyToAccount(key).signTransaction({
      type: 'eip1559',
      chainId: world.chain.chainId,
      gas: 21_000n,
      to: ALICE,
      value: 1n,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 10n ** 9n,
      nonce: await world.node.nonce(payer),
    });
  });

  const SEND = 'eth_sendRawTransaction';
  const tooLow = { error: { code: -32000, message: 'nonce too low: next nonce 9' } };

  it('goes to every address and succeeds when one takes it', async () => {
    world.one.on(SEND, 'silent');
    const { hash } = await world.node.broadcast(signed);
    await world.chain.mined(hash as Hex);
    expect(await world.node.transaction(hash)).toMatchObject({ status: 'succeeded' });
    expect(world.one.asked).toContain(SEND);
  });

  it('has an unknown outcome when its answer is lost, and succeeds when repeated', async () => {
    world.reached(HASTY_MS);
    for (const double of [world.one, world.two]) double.on(SEND, 'done-and-silent');
    const error = await thrownBy(world.node.broadcast(signed));
    expect(error).toMatchObject({ name: 'OutcomeUnknown' });
    world.expectNothingTold(error);
    world.one.behaveWell();
    world.two.behaveWell();
    world.reached();
    const { hash } = await world.node.broadcast(signed);
    await world.chain.mined(hash as Hex);
    expect(await world.node.transaction(hash)).toMatchObject({ status: 'succeeded' });
  });

  it('is refused only when no other node may have it', async () => {
    world.reached(HASTY_MS);
    world.one.on(SEND, tooLow);
    world.two.on(SEND, 'silent');
    await expect(world.node.broadcast(signed)).rejects.toMatchObject({ name: 'OutcomeUnknown' });
    world.reached();
    world.two.on(SEND, { error: { code: -32000, message: 'txpool is full' } });
    await expect(world.node.broadcast(signed)).rejects.toMatchObject({ name: 'OutcomeUnknown' });
    world.two.on(SEND, 'unauthorized-401');
    await expect(world.node.broadcast(signed)).rejects.toMatchObject({
      name: 'ChainRefused',
      code: 'nonce_too_low',
    });
    world.two.on(SEND, tooLow);
    const error = await thrownBy(world.node.broadcast(signed));
    expect(error).toMatchObject({ name: 'ChainRefused', code: 'nonce_too_low' });
    world.expectNothingTold(error);
  });

  it('fails with ChainAway when no node was reached', async () => {
    for (const double of [world.one, world.two]) double.on('*', 'silent'); // the nodes do not even name their chain
    const unknown = testChains(HASTY_MS).nodeAt(world.chain.chainId, world.one.url, world.two.url);
    await expect(unknown.broadcast(signed)).rejects.toMatchObject({ name: 'ChainAway' });
    const nobody = world.party.nodeAt(world.chain.chainId, 'http://127.0.0.1:1/');
    await expect(nobody.broadcast(signed)).rejects.toMatchObject({ name: 'ChainAway' });
  });

  it.each([
    ['already known', 'taken'],
    ['Known transaction', 'taken'],
    ['AlreadyKnown', 'taken'],
    ['replacement transaction underpriced', 'underpriced'],
    ['max fee per gas less than block base fee', 'underpriced'],
    ['insufficient funds for gas * price + value', 'insufficient_funds'],
    ['OldNonce', 'nonce_too_low'],
    ['exceeds block gas limit', 'refused'],
    ['unknown transaction type', 'refused'],
    ['rate limit reached', undefined],
    ['Nonce too far in the future', undefined],
  ])('interprets the error text %p of a node', async (message, meaning) => {
    for (const double of [world.one, world.two]) double.on(SEND, { error: { code: -32000, message } });
    const outcome = await world.node.broadcast(signed).then(
      () => 'taken',
      ({ code }: { code?: string }) => code,
    );
    expect(outcome).toBe(meaning);
  });
});
