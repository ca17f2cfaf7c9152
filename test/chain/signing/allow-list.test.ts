import {
  type AllowList,
  bodyOf,
  digestOfBody,
  judgeList,
  listOfBody,
  networksOf,
  readAllowList,
  type SeenList,
} from '../../../src/chain/signing/allow-list';
import { readSignerOperators } from '../../../src/kernel/config/signer-operators';
import { signatureOf, signingOperator } from './support';

const [ida, bob, eve] = [signingOperator('ida'), signingOperator('bob'), signingOperator('eve')];
const FIRST = `0x${'1'.repeat(40)}`;
const at = new Date('2026-11-26T12:00:00Z');

const listed = (change: Partial<AllowList> = {}): AllowList => ({
  version: 1,
  firstAddress: FIRST,
  sequence: 7,
  expiresAt: '2027-01-01T00:00:00.000Z',
  networks: [
    {
      chain: 'local',
      chainId: 31_337,
      dailyFees: '0.5',
      treasuries: [`0x${'3'.repeat(40)}`],
      tokens: [],
      delegates: [],
    },
  ],
  ...change,
});

const judged = (
  list: AllowList,
  signatures: (body: string) => { operator: string; signature: string }[],
  seen?: SeenList,
) => {
  const body = bodyOf(list);
  const stored = { body, digest: digestOfBody(body), signatures: signatures(body) };
  return judgeList(stored, { operators: [ida, bob], firstAddress: FIRST, seen, at });
};
const both = (body: string) => [signatureOf(ida, body), signatureOf(bob, body)];

describe('the judgement of an allow-list', () => {
  it('accepts two operators', () => expect(judged(listed(), both)).toEqual({ list: listed() }));

  it.each<[string, (body: string) => { operator: string; signature: string }[]]>([
    ['one signature', (body) => [signatureOf(ida, body)]],
    ['one operator twice', (body) => [signatureOf(ida, body), signatureOf(ida, body)]],
    [
      "one operator under the other's name",
      (body) => [signatureOf(ida, body), { ...signatureOf(ida, body), operator: 'bob' }],
    ],
    ['a stranger beside an operator', (body) => [signatureOf(ida, body), signatureOf(eve, body)]],
    [
      "a stranger under an operator's name",
      (body) => [signatureOf(ida, body), { ...signatureOf(eve, body), operator: 'bob' }],
    ],
    [
      'a signature on another list',
      (body) => [signatureOf(ida, body), signatureOf(bob, bodyOf(listed({ sequence: 8 })))],
    ],
    [
      'no signature at all',
      () => [
        { operator: 'ida', signature: '' },
        { operator: 'bob', signature: 'AAAA' },
      ],
    ],
  ])('refuses %s', (_, signatures) =>
    expect(judged(listed(), signatures)).toEqual({ refused: expect.stringContaining('needs 2 signatures') }),
  );

  it('refuses a list of another installation, and one that has expired', () => {
    expect(judged(listed({ firstAddress: `0x${'2'.repeat(40)}` }), both)).toEqual({
      refused: 'It is for another installation.',
    });
    expect(judged(listed({ expiresAt: at.toISOString() }), both)).toEqual({ refused: 'It has expired.' });
  });

  it('refuses a list before the newest one that it has accepted, and another one of the same sequence', () => {
    const digest = digestOfBody(bodyOf(listed()));
    expect(judged(listed(), both, { sequence: 7, digest })).toEqual({ list: listed() });
    expect(judged(listed(), both, { sequence: 8, digest })).toEqual({
      refused: 'The list 8 has replaced it.',
    });
    expect(judged(listed(), both, { sequence: 7, digest: 'another' })).toEqual({
      refused: 'Another list has the same sequence.',
    });
  });

  it('takes only the canonical form, whose digest is the stored one', () => {
    const body = bodyOf(listed());
    expect(listOfBody(body.replace('"version":1', '"version": 1'))).toBeUndefined();
    expect(listOfBody(body.slice(1))).toBeUndefined();
    const forged = { body, digest: 'another', signatures: both(body) };
    expect(judgeList(forged, { operators: [ida, bob], firstAddress: FIRST, seen: undefined, at })).toEqual({
      refused: 'It is not in the canonical form.',
    });
  });
});

it('reads a list in any order and case into the same bytes', () => {
  const { networks, ...rest } = listed();
  const [network] = networks;
  const two = ['0xABCDEFabcdefABCDEFabcdefABCDEFabcdefABCD'.toLowerCase(), `0x${'3'.repeat(40)}`];
  const one = readAllowList(JSON.stringify({ networks: [{ ...network, treasuries: two }], ...rest }));
  const other = readAllowList(
    JSON.stringify({ ...rest, networks: [{ ...network, treasuries: two.reverse() }] }),
  );
  if (!('list' in one) || !('list' in other)) throw new Error('a list is not readable');
  expect(bodyOf(one.list)).toBe(bodyOf(other.list));
  expect(readAllowList('{"version":2}')).toEqual({ wrong: expect.arrayContaining([expect.any(String)]) });
});

describe('SIGNER_OPERATORS', () => {
  const key = ({ publicKey }: { publicKey: Buffer }) => publicKey.toString('base64');

  it('reads the sums of a day in any order into the same bytes, and refuses a wrong one', () => {
    const sum = { asset: `0x${'5'.repeat(40)}`, decimals: 6, amount: '250000.5' };
    const native = { amount: '2', decimals: 18, asset: 'native' };
    const read = (dailySums: object[]) =>
      readAllowList(JSON.stringify(listed({ networks: [{ ...listed().networks[0]!, dailySums } as never] })));
    const [one, other] = [read([sum, native]), read([native, sum])];
    if (!('list' in one && 'list' in other)) throw new Error('not readable');
    expect(bodyOf(one.list)).toBe(bodyOf(other.list));
    expect(listOfBody(bodyOf(one.list))).toEqual(one.list);
    expect(networksOf(one.list)[0]?.dailySums?.get(sum.asset)).toEqual({
      units: 250_000_500_000n,
      decimals: 6,
    });
    expect(judged(one.list, both)).toEqual({ list: one.list });
    for (const wrong of [[sum, sum], [{ ...sum, amount: '0.0000001' }], [{ ...sum, asset: 'USDT' }], []])
      expect(read(wrong)).toEqual({ wrong: expect.any(Array) });
  });

  it('names two operators or more, each with a key of his own', () => {
    expect(readSignerOperators(`ida:${key(ida)},bob:${key(bob)}`)).toMatchObject({
      operators: [{ name: 'ida' }, { name: 'bob' }],
      wrong: [],
    });
    expect(readSignerOperators(`ida:${key(ida)}`).wrong).toEqual(['must name at least 2 operators']);
    expect(readSignerOperators(`ida:${key(ida)},bob:${key(ida)}`).wrong).toEqual([
      'must not give a key to two operators',
    ]);
    expect(readSignerOperators(`ida:${key(ida)},ida:${key(bob)}`).wrong).toEqual([
      'must not name an operator twice',
    ]);
    expect(readSignerOperators('ida:abc,bob:def').wrong).toHaveLength(1);
  });
});
