import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { createPayloadCodec } from '../../../src/kernel/temporal/codec';
import { testKeyring } from '../../support/keyring';

const keyring = testKeyring();
const on = createPayloadCodec(keyring, true);
const off = createPayloadCodec(keyring, false);

const payload = (value: unknown): Payload => defaultPayloadConverter.toPayload(value);
const values = (payloads: Payload[]) => payloads.map((one) => defaultPayloadConverter.fromPayload(one));
const given = [
  { id: 'card_1', amounts: ['1.00', '2.00'] },
  'text',
  null,
  undefined,
  new Uint8Array([0, 255]),
];

it('returns values of any type unchanged', async () => {
  expect(values(await on.decode(await on.encode(given.map(payload))))).toEqual(given);
  expect(await on.decode(await on.encode([]))).toEqual([]);
});

it('hides the value and its type, and encrypts the same value differently each time', async () => {
  const [first, second] = await on.encode([payload('card_1'), payload('card_1')]);
  const bytes = Buffer.concat([...Object.values(first?.metadata ?? {}), first?.data ?? Buffer.alloc(0)]);
  expect(bytes.includes('card_1')).toBe(false);
  expect(bytes.includes('json/plain')).toBe(false);
  expect(Buffer.from(first!.data!).equals(Buffer.from(second!.data!))).toBe(false);
});

it('reads values from before encryption was turned on and after it was turned off', async () => {
  expect(values(await on.decode(await off.encode(given.map(payload))))).toEqual(given);
  expect(values(await off.decode(await on.encode(given.map(payload))))).toEqual(given);
});

it('refuses a value that was changed or sealed under another key', async () => {
  const [sealed] = await on.encode([payload('card_1')]);
  const changed = Buffer.from(sealed!.data!);
  changed[changed.length - 1]! ^= 1;
  await expect(on.decode([{ ...sealed, data: changed }])).rejects.toThrow();
  const stranger = createPayloadCodec(testKeyring(), true);
  await expect(stranger.decode([sealed!])).rejects.toThrow();
  const truncated = { ...sealed, data: Buffer.from(sealed!.data!).subarray(0, 20) };
  await expect(on.decode([truncated])).rejects.toThrow();
});
