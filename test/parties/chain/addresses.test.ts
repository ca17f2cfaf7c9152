import { privateKeyToAccount } from 'viem/accounts';
import {
  checkedAddress,
  checkedHash,
  evmAddressOf,
  isZeroAddress,
} from '../../../src/parties/chain/addresses';

/** Examples of EIP-55. */
const CHECKSUMMED = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
];

it.each(CHECKSUMMED)('accepts %s in one case or with its checksum, and returns it checksummed', (address) => {
  const digits = address.slice(2);
  expect(checkedAddress('evm', address)).toBe(address);
  expect(checkedAddress('evm', address.toLowerCase())).toBe(address);
  expect(checkedAddress('evm', `0x${digits.toUpperCase()}`)).toBe(address);
});

it.each([
  '0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed0',
  ' 0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
  '0xg2908400098527886e0f7030069857d2e4169ee7',
  'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', // an address of another kind of chain
  '',
])('refuses %p as an EVM address', (text) => {
  expect(checkedAddress('evm', text)).toBeUndefined();
});

it('derives the address of a public key, compressed or not', () => {
  const key = `0x${'1'.padStart(64, '0')}` as const;
  const { publicKey, address } = privateKeyToAccount(key);
  const whole = Buffer.from(publicKey.slice(2), 'hex');
  const compressed = Buffer.from(`02${publicKey.slice(4, 68)}`, 'hex'); // the y of the generator is even
  expect(address).toBe('0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf');
  expect([whole, compressed].map(evmAddressOf)).toEqual([address, address]);
});

it('returns the hash of a transaction in lower case, and refuses other texts', () => {
  const digits = 'Ab'.repeat(32);
  expect(checkedHash('evm', `0x${digits}`)).toBe(`0x${digits.toLowerCase()}`);
  expect(checkedHash('evm', digits)).toBeUndefined();
  for (const wrong of ['', 'ab', `${digits}0`, digits.replace('A', 'g')])
    expect(checkedHash('evm', `0x${wrong}`)).toBeUndefined();
});

it('recognises the zero address', () => {
  expect(isZeroAddress('evm', '0x0000000000000000000000000000000000000000')).toBe(true);
  expect(isZeroAddress('evm', CHECKSUMMED[0] as string)).toBe(false);
});
