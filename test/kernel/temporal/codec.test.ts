import { defaultPayloadConverter, type Payload, type SerializationContext } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { createPayloadCodec } from '../../../src/kernel/temporal/codec';
import { summaryOf } from '../../../workflows/support/summary';
import { testKeyring } from '../../support/keyring';

const { Payload: PayloadMessage } = temporal.api.common.v1;

const keyring = testKeyring();
const on = createPayloadCodec(keyring, { encrypt: true });
const off = createPayloadCodec(keyring, { encrypt: false });
const live = createPayloadCodec(keyring, { encrypt: true, refusePlain: true });

const of = (workflowId: string, namespace = 'cardwright'): SerializationContext => ({
  type: 'workflow',
  namespace,
  workflowId,
});
const own = of('payout-pay_1');
const payload = (value: unknown): Payload => defaultPayloadConverter.toPayload(value);
const values = (payloads: Payload[]) => payloads.map((one) => defaultPayloadConverter.fromPayload(one));
const given = [
  { id: 'card_1', amounts: ['1.00', '2.00'] },
  'text',
  null,
  undefined,
  new Uint8Array([0, 255]),
];
const sealed = async (value: unknown, context = own) =>
  (await on.encode([payload(value)], context))[0] as Payload;

it('returns values of any type unchanged', async () => {
  expect(values(await on.decode(await on.encode(given.map(payload), own), own))).toEqual(given);
  expect(await on.decode(await on.encode([], own), own)).toEqual([]);
});

it('hides the value and its type, and encrypts the same value differently each time', async () => {
  const [first, second] = await on.encode([payload('card_1'), payload('card_1')], own);
  const bytes = Buffer.concat([...Object.values(first?.metadata ?? {}), first?.data ?? Buffer.alloc(0)]);
  expect(bytes.includes('card_1')).toBe(false);
  expect(bytes.includes('json/plain')).toBe(false);
  expect(Buffer.from(first!.data!).equals(Buffer.from(second!.data!))).toBe(false);
});

it('reads values from before encryption was turned on and after it was turned off', async () => {
  expect(values(await on.decode(await off.encode(given.map(payload), own), own))).toEqual(given);
  expect(values(await off.decode(await on.encode(given.map(payload), own), own))).toEqual(given);
});

it('refuses plain values in live mode', async () => {
  expect(values(await live.decode(await live.encode(given.map(payload), own), own))).toEqual(given);
  await expect(live.decode([payload('card_1')], own)).rejects.toThrow('not encrypted');
});

it('refuses a value that was changed or sealed under another key', async () => {
  const mine = await sealed('card_1');
  const changed = Buffer.from(mine.data!);
  changed[changed.length - 1]! ^= 1;
  await expect(on.decode([{ ...mine, data: changed }], own)).rejects.toThrow();
  const stranger = createPayloadCodec(testKeyring(), { encrypt: true });
  await expect(stranger.decode([mine], own)).rejects.toThrow();
  for (const data of [Buffer.from(mine.data!).subarray(0, 20), Buffer.alloc(0), null])
    await expect(on.decode([{ ...mine, data }], own)).rejects.toThrow();
});

it.each([
  ['workflow', of('payout-pay_2')],
  ['workflow whose id begins alike', of('payout-pay_11')],
  ['namespace', of('payout-pay_1', 'elsewhere')],
])('refuses a value that was moved to another %s, also with its metadata rewritten', async (_, elsewhere) => {
  const moved = await sealed('card_1');
  await expect(on.decode([moved], elsewhere)).rejects.toThrow('of another workflow');
  const { metadata } = await sealed('other', elsewhere);
  await expect(on.decode([{ ...moved, metadata: metadata! }], elsewhere)).rejects.toThrow();
});

it('gives the arguments of a schedule to the runs that it starts, and to no other workflow', async () => {
  const argument = await sealed('all', of('housekeeping'));
  const run = of('housekeeping-2026-11-26T12:00:00Z');
  expect(values(await on.decode([argument], run))).toEqual(['all']);
  for (const id of ['housekeeping-again', 'housekeeping-2026-11-26T12:00:00Z-x', 'housekeepings'])
    await expect(on.decode([argument], of(id))).rejects.toThrow('of another workflow');
  await expect(on.decode([await sealed('all', run)], of('housekeeping'))).rejects.toThrow();
});

it('binds values of an activity to the workflow that ordered it', async () => {
  const { namespace } = own;
  const activity = { type: 'activity', namespace, workflowId: 'payout-pay_1', isLocal: false } as const;
  const result = await sealed('done', activity);
  expect(values(await on.decode([result], own))).toEqual(['done']);
});

it('keeps the longest summary within what Temporal accepts, for a long id and a long namespace', async () => {
  const longest = `${summaryOf('x'.repeat(500))}, until there is an answer`;
  const id = 'webhook-recovery-cli_01h455vb4pex5vsknk084sn02q-card_transaction';
  const summary = await sealed(longest, of(id, 'a-namespace-of-thirty-characters'));
  expect(PayloadMessage.encode(summary).finish().length).toBeLessThanOrEqual(400);
});

it('gives no workflow a value that was sealed without one, such as the failure of a workflow task', async () => {
  const [failure] = await on.encode([payload('card_1')]);
  for (const context of [own, of('-2026-11-26T12:00:00Z')])
    await expect(on.decode([failure!], context)).rejects.toThrow('of another workflow');
});

it('opens no value without knowing its workflow', async () => {
  await expect(on.decode([await sealed('card_1')])).rejects.toThrow('which workflow');
});
