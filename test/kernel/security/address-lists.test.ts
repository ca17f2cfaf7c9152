import { addressList, holderOf, isListed, isNetwork } from '../../../src/kernel/security/address-lists';

it.each([
  ['203.0.113.7', true],
  ['203.0.113.0/24', true],
  ['2001:db8::/48', true],
  ['2001:db8::1', true],
  ['0.0.0.0/0', true],
  ['203.0.113.0/33', false],
  ['203.0.113.0/', false],
  ['203.0.113.0/24/24', false],
  ['2001:db8::/129', false],
  ['10.1', false],
  ['0x7f.1', false],
  ['fe80::1%eth0', false],
  ['example.com', false],
  ['', false],
])('takes %j as an address or a network: %p', (text, expected) => {
  expect(isNetwork(text)).toBe(expected);
});

it.each([
  ['203.0.113.0/24', '203.0.113.255', true],
  ['203.0.113.0/24', '203.0.114.1', false],
  ['203.0.113.7', '203.0.113.7', true],
  ['203.0.113.7', '203.0.113.8', false],
  ['203.0.113.7', '::ffff:203.0.113.7', true],
  ['2001:db8::/48', '2001:db8:0:ff::1', true],
  ['2001:db8::/48', '2001:db8:1::1', false],
  ['0.0.0.0/0', '2001:db8::1', false],
  ['::/0', '203.0.113.7', false],
  ['203.0.113.7', '', false],
  ['203.0.113.7', 'unknown', false],
])('with %s a list has %j: %p', (network, address, expected) => {
  expect(isListed(addressList([network]), address)).toBe(expected);
});

it('counts IPv6 addresses by their network of 64 bits', () => {
  expect(holderOf('203.0.113.7')).toBe('203.0.113.7');
  expect(holderOf('::ffff:203.0.113.7')).toBe('203.0.113.7');
  expect(holderOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
  expect(holderOf('2001:db8:1:2::9')).toBe(holderOf('2001:db8:1:2:ffff::1'));
});
