import { readConfig } from '../../../src/kernel/config/config';

const KEYS = { AUDIT_HEAD_S3_ACCESS_KEY_ID: 'id', AUDIT_HEAD_S3_SECRET_ACCESS_KEY: 'hush' };
const witness = (to: string, more: NodeJS.ProcessEnv = {}) =>
  readConfig({ AUDIT_HEAD_TO: to, ...more }).outside.witness;

it('is a file, an endpoint or a bucket by the address', () => {
  expect(readConfig({}).outside.witness).toBeUndefined();
  expect(witness('/mnt/heads/audit')).toEqual({ kind: 'file', path: '/mnt/heads/audit' });
  const url = 'https://witness.example.com/heads';
  const secret = 'sixteen letters!';
  expect(witness(url, { AUDIT_HEAD_SECRET: secret })).toEqual({ kind: 'endpoint', url, secret });
  expect(witness('s3://our-heads/audit/prod/', { ...KEYS, AUDIT_HEAD_S3_REGION: 'eu-central-1' })).toEqual({
    kind: 's3',
    prefix: 'audit/prod',
    lockDays: 3_650,
    bucket: {
      endpoint: 'https://s3.eu-central-1.amazonaws.com',
      region: 'eu-central-1',
      bucket: 'our-heads',
      accessKeyId: 'id',
      secretAccessKey: 'hush',
    },
  });
  const days = witness('s3://our-heads', { ...KEYS, AUDIT_HEAD_LOCK_DAYS: '30' });
  expect(days).toMatchObject({ prefix: '', lockDays: 30 });
});

it.each([
  ['https://witness.example.com', {}, /AUDIT_HEAD_SECRET: must be given/],
  ['https://witness.example.com', { AUDIT_HEAD_SECRET: 'hush' }, /AUDIT_HEAD_SECRET: must be given/],
  [
    'http://witness.example.com',
    { AUDIT_HEAD_SECRET: 'hush hush hush hush' },
    /AUDIT_HEAD_TO: must be an https URL/,
  ],
  ['s3://b', KEYS, /AUDIT_HEAD_TO: must be a path, an https URL, or s3:/],
  ['s3://our-heads', {}, /needs AUDIT_HEAD_S3_ACCESS_KEY_ID/],
  ['s3://our-heads', { ...KEYS, AUDIT_HEAD_LOCK_DAYS: '0' }, /AUDIT_HEAD_LOCK_DAYS/],
  ['s3://our-heads', { ...KEYS, AUDIT_HEAD_S3_ENDPOINT: 'http://s3.example.com' }, /AUDIT_HEAD_S3_ENDPOINT/],
])('refuses %s with %j', (to, more, message) => {
  expect(() => witness(to, more)).toThrow(message);
  expect(() => witness(to, more)).not.toThrow(/hush/);
});
