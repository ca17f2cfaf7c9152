/** @long */
import { type Hex, keccak256, parseTransaction, recoverTransactionAddress, toHex } from 'viem';
import { createHeldKeys } from '../../../src/parties/signer/held/create';
import { keptSignatures } from '../../../src/parties/signer/held/kept';
import type { FaultKind } from '../../../src/parties/signer/held/key';
import { signatureOfDer } from '../../../src/parties/signer/held/kms';
import { createHeldSigner } from '../../../src/parties/signer/held/signer';
import type { Web3SignerFault } from '../../support/outside/web3signer';
import { kmsSigner, web3Signer } from './held';

const JUNK = `${'test '.repeat(11)}junk`;
const [ZERO] = ['0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'];

const transaction = (nonce: number, from: string = ZERO) => ({
  chainId: 31_337,
  nonce,
  from,
  to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  value: 1n,
  data: '0x',
  gas: 21_000n,
  maxFeePerGas: 2n,
  maxPriorityFeePerGas: 1n,
});
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const highOf = (raw: string) => {
  const { r, s = '0x0', yParity } = parseTransaction(raw as Hex);
  return { r, s: toHex(ORDER - BigInt(s), { size: 32 }), yParity: 1 - (yParity ?? 0) };
};
const senderOf = (raw: string) => recoverTransactionAddress({ serializedTransaction: raw as never });
const fault = (kind: FaultKind) => expect.objectContaining({ name: 'HeldKeyFault', kind });

describe('keys of AWS KMS', () => {
  let world: Awaited<ReturnType<typeof kmsSigner>>;
  beforeAll(async () => {
    world = await kmsSigner(JUNK);
  });
  afterAll(() => world.close());
  afterEach(() => void (world.kms.signs.as = 'true'));

  it('tell their own address, and sign although `s` comes high', async () => {
    expect(await world.keys[0]?.told()).toBe(ZERO);
    world.kms.signs.as = 'high';
    for (const nonce of [1, 2, 3])
      expect(await senderOf((await world.signer.sign(0, transaction(nonce))).raw)).toBe(ZERO);
  });

  it('give a transaction the same bytes from two signing processes and after a restart', async () => {
    const other = createHeldSigner(world.keys, keptSignatures(world.database));
    const made = await Promise.all([world.signer, other].map((each) => each.sign(0, transaction(4))));
    expect(made[0]).toEqual(made[1]);
    expect(await other.sign(0, transaction(4))).toEqual(made[0]);
  });

  it('sign anew where another process has written a false signature', async () => {
    const { raw } = await world.signer.sign(0, transaction(5));
    await world.database.query(`update held_signatures set signature = jsonb_set(signature, '{r}', $1)`, [
      JSON.stringify(`0x${'1'.repeat(64)}`),
    ]);
    const again = await world.signer.sign(0, transaction(5));
    expect([await senderOf(again.raw), again.raw === raw]).toEqual([ZERO, false]);
    // The same signature with a high `s` recovers to the key as well, and no chain takes it.
    await world.database.query(`update held_signatures set signature = $1`, [
      JSON.stringify(highOf(again.raw)),
    ]);
    const low = await world.signer.sign(0, transaction(5));
    expect(BigInt(parseTransaction(low.raw as Hex).s ?? 0n)).toBeLessThanOrEqual(ORDER / 2n);
  });

  it.each<[string, FaultKind]>([
    ['AccessDeniedException', 'refused'],
    ['DisabledException', 'refused'],
    ['KMSInternalException', 'away'],
  ])('sign nothing after %s, and the same bytes afterwards', async (code, kind) => {
    const asked = transaction(100 + code.length);
    world.kms.faults.push(code, code);
    await expect(world.signer.sign(0, asked)).rejects.toEqual(fault(kind));
    world.kms.faults.splice(0);
    expect(await senderOf((await world.signer.sign(0, asked)).raw)).toBe(ZERO);
  });

  it('are asked again after one ThrottlingException, and wait after more', async () => {
    world.kms.faults.push('ThrottlingException');
    expect(await senderOf((await world.signer.sign(0, transaction(7))).raw)).toBe(ZERO);
    world.kms.faults.push('ThrottlingException', 'ThrottlingException');
    await expect(world.signer.sign(0, transaction(8))).rejects.toEqual(fault('away'));
  });

  it('refuse garbage, and the signature of another key', async () => {
    world.kms.signs.as = 'garbage';
    await expect(world.signer.sign(0, transaction(9))).rejects.toEqual(fault('wrong'));
    world.kms.signs.as = 'true';
    const [first, second] = world.settings;
    const swapped = createHeldKeys([{ ...first!, place: second!.place }]);
    expect(await swapped[0]?.told()).toBe(second!.address);
    const signer = createHeldSigner(swapped, keptSignatures(world.database));
    await expect(signer.sign(0, transaction(10))).rejects.toEqual(fault('wrong'));
  });

  it('wait for a KMS that does not answer', async () => {
    world.kms.signs.as = 'silent';
    await expect(world.signer.sign(0, transaction(11))).rejects.toEqual(fault('away'));
  }, 20_000);
});

describe('keys of a Web3Signer', () => {
  let world: Awaited<ReturnType<typeof web3Signer>>;
  beforeAll(async () => {
    world = await web3Signer(JUNK);
  });
  afterAll(() => world.close());

  it('sign the bytes of the transaction itself, although `s` comes high', async () => {
    world.double.faults.push('high');
    const { raw, hash } = await world.signer.sign(0, transaction(1));
    expect([await senderOf(raw), hash]).toEqual([ZERO, keccak256(raw as Hex)]);
    expect(world.double.signed[0]?.data).toMatch(/^0x02/);
  });

  it.each<[Web3SignerFault, FaultKind]>([
    [503, 'away'],
    [429, 'away'],
    [403, 'refused'],
    ['garbage', 'wrong'],
    ['other bytes', 'wrong'],
    ['other key', 'wrong'],
  ])('sign nothing after %p, and the right bytes afterwards', async (given, kind) => {
    world.double.faults.push(given);
    await expect(world.signer.sign(0, transaction(2))).rejects.toEqual(fault(kind));
    expect(await senderOf((await world.signer.sign(0, transaction(2))).raw)).toBe(ZERO);
    await world.database.query('delete from held_signatures');
  });

  it('wait for one that does not answer, or is not there', async () => {
    world.double.faults.push('silent');
    await expect(world.signer.sign(0, transaction(3))).rejects.toEqual(fault('away'));
    const gone = createHeldKeys([{ ...world.settings[0]!, place: 'http://127.0.0.1:9' }]);
    await expect(gone[0]?.told()).rejects.toEqual(fault('away'));
  }, 20_000);

  it('are refused for an address that the Web3Signer has no key of', async () => {
    const stranger = { ...world.settings[0]!, address: '0x000000000000000000000000000000000000dEaD' };
    await expect(createHeldKeys([stranger])[0]?.told()).rejects.toEqual(fault('refused'));
  });
});

it.each([
  ['no sequence', '3106020101020101'],
  ['a length that is not its own', '3007020101020101'],
  ['bytes behind', '300602010102010100'],
  ['a negative integer', '3006020181020101'],
  ['a missing integer', '3003020101'],
])('reads no signature from DER with %s', (_, hex) => {
  expect(signatureOfDer(Buffer.from(hex, 'hex'))).toBeUndefined();
});
