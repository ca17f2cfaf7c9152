import { readStationKeys } from '../../../src/kernel/config/station-keys';

const ADDRESS = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const ARN = 'arn:aws:kms:eu-central-1:111122223333:key/0a';

it('reads keys of AWS KMS and of a Web3Signer, with checksummed addresses', () => {
  const other = `0x${'1'.repeat(40)}`;
  const text = `${ADDRESS.toLowerCase()}=kms:${ARN}, ${other}=web3signer:https://signer.internal:9000/`;
  expect(readStationKeys(text)).toEqual({
    wrong: [],
    keys: [
      { address: ADDRESS, provider: 'kms', place: ARN },
      { address: other, provider: 'web3signer', place: 'https://signer.internal:9000' },
    ],
  });
});

it.each([
  ['nothing', ''],
  ['a key without an address', `kms:${ARN}`],
  ['another provider', `${ADDRESS}=vault:transit`],
  ['a wrong checksum', `${ADDRESS.replace('f39F', 'F39F')}=kms:${ARN}`],
  ['no http address', `${ADDRESS}=web3signer:signer:9000`],
  ['an address twice', `${ADDRESS}=kms:${ARN},${ADDRESS}=kms:alias/b`],
])('refuses %s', (_, text) => {
  const { keys, wrong } = readStationKeys(text);
  expect([keys, wrong.length]).toEqual([undefined, 1]);
  expect(wrong[0]).not.toContain('arn:');
});
