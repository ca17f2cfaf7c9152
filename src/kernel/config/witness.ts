import { wrongAddress } from './parties';
import type { S3Settings } from './s3';

/** The place outside the database that is told the head of the audit chain each hour. */
export type WitnessSettings =
  /** A file that lines are added to. */
  | { kind: 'file'; path: string }
  /** An endpoint that takes a signed POST. */
  | { kind: 'endpoint'; url: string; secret: string }
  /** A bucket with object lock. `prefix` has no slash at its ends, and may be empty. */
  | { kind: 's3'; bucket: S3Settings; prefix: string; lockDays: number };

type Environment = Readonly<Record<string, string | undefined>>;

const TO = 'AUDIT_HEAD_TO';
const S3_ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w./-]*?))?\/*$/;
const LOCK_DAYS = 3_650;

/**
 * Reads `AUDIT_HEAD_TO` and the variables beside it.
 * @returns the settings, undefined without `AUDIT_HEAD_TO`; and a line for each wrong variable
 */
export function readWitnessSettings(given: Environment): {
  witness: WitnessSettings | undefined;
  wrong: string[];
} {
  const { [TO]: to, AUDIT_HEAD_SECRET: secret = '' } = given;
  if (to === undefined) return { witness: undefined, wrong: [] };
  if (to.startsWith('s3:')) return bucketOf(to, given);
  if (!/^https?:/i.test(to)) return { witness: { kind: 'file', path: to }, wrong: [] };
  const wrong = [
    ...wrongAddress(TO, to),
    ...(secret.length < 16
      ? ['AUDIT_HEAD_SECRET: must be given with an https URL, 16 characters at least']
      : []),
  ];
  return { witness: wrong.length > 0 ? undefined : { kind: 'endpoint', url: to, secret }, wrong };
}

function bucketOf(to: string, given: Environment) {
  const [, bucket, prefix = ''] = S3_ADDRESS.exec(to) ?? [];
  const { AUDIT_HEAD_S3_REGION: region = 'us-east-1', AUDIT_HEAD_LOCK_DAYS: days = String(LOCK_DAYS) } =
    given;
  const {
    AUDIT_HEAD_S3_ACCESS_KEY_ID: accessKeyId = '',
    AUDIT_HEAD_S3_SECRET_ACCESS_KEY: secretAccessKey = '',
  } = given;
  const endpoint = given['AUDIT_HEAD_S3_ENDPOINT'] ?? `https://s3.${region}.amazonaws.com`;
  const lockDays = /^\d{1,5}$/.test(days) ? Number(days) : 0;
  const wrong = [
    ...(bucket === undefined ? [`${TO}: must be a path, an https URL, or s3://bucket/prefix`] : []),
    ...wrongAddress('AUDIT_HEAD_S3_ENDPOINT', endpoint),
    ...(accessKeyId === '' || secretAccessKey === ''
      ? [`${TO}: needs AUDIT_HEAD_S3_ACCESS_KEY_ID and AUDIT_HEAD_S3_SECRET_ACCESS_KEY`]
      : []),
    ...(lockDays < 1 ? ['AUDIT_HEAD_LOCK_DAYS: must be a whole number from 1 to 99999'] : []),
  ];
  if (wrong.length > 0 || bucket === undefined) return { witness: undefined, wrong };
  const settings = { endpoint, region, bucket, accessKeyId, secretAccessKey };
  return { witness: { kind: 's3' as const, bucket: settings, prefix, lockDays }, wrong };
}
