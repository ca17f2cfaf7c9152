import {
  generateKeyPairSync,
  type KeyObject,
  type KeyPairKeyObjectResult,
  randomBytes,
  sign,
} from 'node:crypto';

/** A self-signed certificate for the loopback names, valid for a day. It is created in memory only. */
export interface TestCertificate {
  /** PEM. A client trusts the certificate when it is passed as `ca`. */
  cert: string;
  key: string;
}

/** Encodes DER: tag, length, content (X.690). Covers only one X.509 v3 certificate (RFC 5280). */
function der(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const { length } = body;
  const size =
    length < 128
      ? Buffer.from([length])
      : length < 256
        ? Buffer.from([0x81, length])
        : Buffer.from([0x82, length >> 8, length & 255]);
  return Buffer.concat([Buffer.from([tag]), size, body]);
}

const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
const set = (...parts: Buffer[]) => der(0x31, ...parts);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const utf8 = (text: string) => der(0x0c, Buffer.from(text));
const utcTime = (date: Date) =>
  der(0x17, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));

const ECDSA_SHA256 = '2a8648ce3d040302';
const COMMON_NAME = '550403';
const SUBJECT_ALT_NAME = '551d11';
const BASIC_CONSTRAINTS = '551d13';
const DAY_MS = 24 * 60 * 60_000;

interface Names {
  subject: string;
  issuer: string;
  /** Whether it may issue others. */
  isAuthority: boolean;
}

const named = (text: string) => sequence(set(sequence(oid(COMMON_NAME), utf8(text))));

function toBeSigned(publicKey: KeyObject, now: number, { subject, issuer, isAuthority }: Names): Buffer {
  const names = sequence(
    der(0x82, Buffer.from('localhost')),
    der(0x87, Buffer.from([127, 0, 0, 1])),
    der(0x87, Buffer.from([...new Array<number>(15).fill(0), 1])),
  );
  const constraints = isAuthority ? [der(0x01, Buffer.from([0xff]))] : [];
  const extensions = sequence(
    sequence(oid(SUBJECT_ALT_NAME), der(0x04, names)),
    sequence(oid(BASIC_CONSTRAINTS), der(0x01, Buffer.from([0xff])), der(0x04, sequence(...constraints))),
  );
  return sequence(
    der(0xa0, der(0x02, Buffer.from([2]))), // v3
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    sequence(oid(ECDSA_SHA256)),
    named(issuer),
    sequence(utcTime(new Date(now - DAY_MS)), utcTime(new Date(now + DAY_MS))),
    named(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
}

/** @param now milliseconds since 1970 around which the certificate is valid */
function certificateOf(
  { publicKey, privateKey }: KeyPairKeyObjectResult,
  signer: KeyObject,
  names: Names,
  now: number,
): TestCertificate {
  const body = toBeSigned(publicKey, now, names);
  const certificate = sequence(
    body,
    sequence(oid(ECDSA_SHA256)),
    der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, signer)])),
  );
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** @param now milliseconds since 1970 around which the certificate is valid. Default: the present */
export function testCertificate(now = Date.now()): TestCertificate {
  const keys = newKeys();
  const names = { subject: 'localhost', issuer: 'localhost', isAuthority: true };
  return certificateOf(keys, keys.privateKey, names, now);
}

export interface TestAuthority {
  /** PEM, for those who trust what it issues. */
  cert: string;
  issue(subject: string): TestCertificate;
}

/** An authority that issues certificates for the loopback names. */
export function testAuthority(): TestAuthority {
  const keys = newKeys();
  const issuer = 'test authority';
  const names = { subject: issuer, issuer, isAuthority: true };
  return {
    cert: certificateOf(keys, keys.privateKey, names, Date.now()).cert,
    issue: (subject) =>
      certificateOf(newKeys(), keys.privateKey, { subject, issuer, isAuthority: false }, Date.now()),
  };
}
