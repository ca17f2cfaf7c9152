import { TypeID } from 'typeid-js';
import { type IdKind, isId, kindOfId, newId, PREFIXES } from '../../src/kernel/ids';

const KINDS = Object.keys(PREFIXES) as IdKind[];

const uuidOf = (id: string): string => TypeID.fromString(id).toUUID();

describe('a new id', () => {
  it.each(KINDS)('of a %s is a TypeID of a UUIDv7 of this moment', (kind) => {
    const before = Date.now();
    const id = newId(kind);
    const uuid = uuidOf(id);
    expect(TypeID.fromString(id).getType()).toBe(PREFIXES[kind]);
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const at = Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16);
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(Date.now() + 1);
    expect(kindOfId(id)).toBe(kind);
  });

  it('sorts after all earlier ones of its process, also when the clock goes back', () => {
    const clock = jest.spyOn(Date, 'now');
    const start = Date.now();
    const ids = Array.from({ length: 50_000 }, (_, index) => {
      clock.mockReturnValue(start + (index % 7 === 0 ? -index : Math.floor(index / 1_000)));
      return newId('card');
    });
    clock.mockRestore();
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is hard to guess: fifty bits differ from the former one at random', () => {
    const tails = Array.from({ length: 2_000 }, () => newId('card').slice(-10));
    for (let place = 0; place < 10; place += 1)
      expect(new Set(tails.map((tail) => tail[place])).size).toBe(32);
  });
});

it.each([
  ['card_01h455vb4pex5vsknk084sn02q', 'card'],
  ['card_7zzzzzzzzzzzzzzzzzzzzzzzzz', 'card'],
  ['card_8zzzzzzzzzzzzzzzzzzzzzzzzz', undefined],
  ['card_01h455vb4pex5vsknk084sn02', undefined],
  ['card_01h455vb4pex5vsknk084sn02qq', undefined],
  ['card_01H455vb4pex5vsknk084sn02q', undefined],
  ['card_01h455vb4pex5vsknk084sn0iq', undefined],
  ['card_01h455vb4pex5vsknk084sn02q\n', undefined],
  ['nobody_01h455vb4pex5vsknk084sn02q', undefined],
  ['_01h455vb4pex5vsknk084sn02q', undefined],
  ['01h455vb4pex5vsknk084sn02q', undefined],
  ['constructor', undefined],
  ['', undefined],
] as const)('%j is an id of %s, as the library says', (text, kind) => {
  expect(kindOfId(text)).toBe(kind);
  expect(isId('card', text)).toBe(kind === 'card');
  let known = true;
  try {
    known = TypeID.fromString(text).getType() === 'card';
  } catch {
    known = false;
  }
  expect(known).toBe(kind === 'card');
});
