import { ConfigError, readConfig } from '../../../src/kernel/config/config';

const key = { DOCUMENTS_S3_ACCESS_KEY_ID: 'AKIA', DOCUMENTS_S3_SECRET_ACCESS_KEY: 'secret' };

it('stores documents under DATA_DIR, or in DOCUMENTS_FOLDER', () => {
  expect(readConfig({ DATA_DIR: '/data' }).documents).toEqual({ kind: 'folder', folder: '/data/documents' });
  const DOCUMENTS_FOLDER = '/shared/documents';
  expect(readConfig({ DATA_DIR: '/data', DOCUMENTS_FOLDER }).documents).toEqual({
    kind: 'folder',
    folder: DOCUMENTS_FOLDER,
  });
});

it('stores documents in DOCUMENTS_S3_BUCKET, at Amazon or at another endpoint', () => {
  const amazon = { DOCUMENTS_S3_BUCKET: 'kyc', DOCUMENTS_S3_REGION: 'eu-central-1', ...key };
  const expected = { kind: 's3', bucket: 'kyc', accessKeyId: 'AKIA', secretAccessKey: 'secret' };
  expect(readConfig(amazon).documents).toEqual({
    ...expected,
    region: 'eu-central-1',
    endpoint: 'https://s3.eu-central-1.amazonaws.com',
  });
  const own = { DOCUMENTS_S3_BUCKET: 'kyc', DOCUMENTS_S3_ENDPOINT: 'http://minio:9000', ...key };
  expect(readConfig(own).documents).toEqual({
    ...expected,
    region: 'us-east-1',
    endpoint: 'http://minio:9000',
  });
});

it('requires both parts of the access key, and shows neither', () => {
  for (const missing of Object.keys(key)) {
    const given: Record<string, string> = { DOCUMENTS_S3_BUCKET: 'kyc', ...key };
    delete given[missing];
    expect(() => readConfig(given)).toThrow(ConfigError);
    expect(() => readConfig(given)).toThrow(/^(?!.*(AKIA|secret$))/s);
  }
});
