import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { openPortions, sealedSize, sealPortions } from '../../../src/kernel/security/sealed-portions';
import { SEAL_BYTES } from '../../../src/kernel/security/sealer';
import { testKeyring } from '../../support/keyring';
import { contentOf } from '../../support/uploads';

const sealer = testKeyring().sealer('documents');
const PORTION = 256 * 1024;
const SEALED = PORTION + SEAL_BYTES;

const seal = (bytes: Buffer, chunk?: number) =>
  buffer(sealPortions(sealer, 'here', contentOf(bytes, chunk).read()));
const open = (bytes: Buffer, chunk?: number, context = 'here') =>
  buffer(openPortions(sealer, context, contentOf(bytes, chunk).read()));

it.each([0, 1, 15, 16, PORTION - 1, PORTION, PORTION + 1, 3 * PORTION, 3 * PORTION + 5])(
  'opens what it sealed: %i bytes',
  async (size) => {
    const bytes = randomBytes(size);
    for (const chunk of [1_000, 65_536, PORTION, 10 * PORTION]) {
      const sealed = await seal(bytes, chunk);
      expect(sealed).toHaveLength(sealedSize(size));
      expect((await open(sealed, chunk)).equals(bytes)).toBe(true);
    }
  },
);

describe('refuses', () => {
  let sealed: Buffer;
  let again: Buffer;
  beforeAll(async () => {
    const bytes = randomBytes(3 * PORTION + 5);
    [sealed, again] = [await seal(bytes), await seal(bytes)];
  });
  const id = () => sealed.subarray(0, 16);
  const portion = (index: number, of = sealed) => of.subarray(16 + index * SEALED, 16 + (index + 1) * SEALED);

  it.each<[string, () => Buffer]>([
    ['nothing', () => Buffer.alloc(0)],
    ['the id alone', () => id()],
    ['a portion that is left out', () => Buffer.concat([id(), portion(0), portion(2), portion(3)])],
    ['a last portion that is left out', () => Buffer.concat([id(), portion(0), portion(1), portion(2)])],
    [
      'portions in another order',
      () => Buffer.concat([id(), portion(1), portion(0), portion(2), portion(3)]),
    ],
    [
      'a portion twice',
      () => Buffer.concat([id(), portion(0), portion(0), portion(1), portion(2), portion(3)]),
    ],
    [
      'a portion of another sealing of the same bytes',
      () => Buffer.concat([id(), portion(0), portion(1, again), portion(2), portion(3)]),
    ],
    ['bytes behind the end', () => Buffer.concat([sealed, Buffer.from('x')])],
  ])('%s', async (_, bytes) => {
    await expect(open(bytes())).rejects.toThrow();
  });

  it('another context', async () => {
    await expect(open(sealed, undefined, 'there')).rejects.toThrow();
  });

  it('a changed byte, and gives out nothing of its portion', async () => {
    const changed = Buffer.from(sealed);
    changed[16 + SEALED + 100] = (changed[16 + SEALED + 100] ?? 0) ^ 1;
    let given = 0;
    const reading = async () => {
      for await (const bytes of openPortions(sealer, 'here', contentOf(changed).read()))
        given += bytes.length;
    };
    await expect(reading()).rejects.toThrow();
    expect(given).toBe(PORTION);
  });
});
