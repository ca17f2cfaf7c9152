import { isAllowedAddress } from '../../../src/kernel/security/allowed-addresses';

const LIVE = { allowLoopback: false };
const SANDBOX = { allowLoopback: true };

const REFUSED = [
  '127.0.0.1',
  '127.8.8.8',
  '0.0.0.0',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '100.100.100.200',
  '192.0.2.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
  '::',
  '::1',
  '::7f00:1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '::ffff:a9fe:a9fe',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  '2001:0:7f00:1::',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '2001:db8::1',
  'localhost',
  '',
];

describe('an address', () => {
  it.each(REFUSED)('%s is refused', (address) => {
    expect(isAllowedAddress(address, 'https:', LIVE)).toBe(false);
  });

  it.each(['8.8.8.8', '1.1.1.1', '2606:4700:4700::1111', '::ffff:8.8.8.8'])('%s is allowed', (address) => {
    expect(isAllowedAddress(address, 'https:', LIVE)).toBe(true);
    expect(isAllowedAddress(address, 'http:', SANDBOX)).toBe(false);
  });

  it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1'])('%s is allowed in the sandbox', (address) => {
    expect(isAllowedAddress(address, 'http:', SANDBOX)).toBe(true);
    expect(isAllowedAddress(address, 'https:', SANDBOX)).toBe(true);
    expect(isAllowedAddress('10.0.0.1', 'https:', SANDBOX)).toBe(false);
  });
});
