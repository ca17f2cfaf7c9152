import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** How the product proves to Temporal who it is, and Temporal to the product. */
export interface TemporalAccess {
  /** Absent: the connection is not encrypted. */
  tls?: TemporalTls | undefined;
  apiKey?: string | undefined;
}

export interface TemporalTls {
  /** PEM of the authorities that Temporal's certificate is trusted by. Default: those of the system. */
  authority?: Buffer | undefined;
  /** PEM of the client certificate and of its key. */
  certificate?: { chain: Buffer; key: Buffer } | undefined;
  /** Name in Temporal's certificate. Default: the host of the address. */
  serverName?: string | undefined;
}

const FILES = ['TEMPORAL_TLS_CA_FILE', 'TEMPORAL_TLS_CERT_FILE', 'TEMPORAL_TLS_KEY_FILE'] as const;
const SERVER_NAME = 'TEMPORAL_TLS_SERVER_NAME';

/**
 * Reads the credentials of the connection to Temporal. TLS is on where anything of it, or an API key, is given.
 * @returns `wrong`: a line for each wrong variable. No line quotes a file's content
 */
export function readTemporalAccess(
  given: Readonly<Record<string, string | undefined>>,
  now = new Date(),
): { access: TemporalAccess; wrong: string[] } {
  const needing = [...FILES, SERVER_NAME, 'TEMPORAL_API_KEY'].filter((name) => given[name] !== undefined);
  const isOn = given['TEMPORAL_TLS'] === 'on' || (given['TEMPORAL_TLS'] !== 'off' && needing.length > 0);
  if (!isOn)
    return { access: {}, wrong: needing.map((name) => `${name}: must not be given with TEMPORAL_TLS=off`) };
  const wrong = given['TEMPORAL_ADDRESS'] === undefined ? ['TEMPORAL_ADDRESS: must be given with TLS'] : [];
  const read = (name: string) => readGiven(given, name, wrong);
  const [ca, chain, key] = FILES.map(read);
  const authority = certified(FILES[0], ca, now, wrong);
  const certificate = pairOf(certified(FILES[1], chain, now, wrong), key, given, wrong);
  return {
    access: {
      tls: { authority, certificate, serverName: given[SERVER_NAME] },
      apiKey: given['TEMPORAL_API_KEY'],
    },
    wrong,
  };
}

function readGiven(
  given: Readonly<Record<string, string | undefined>>,
  name: string,
  wrong: string[],
): Buffer | undefined {
  const path = given[name];
  if (path === undefined) return undefined;
  try {
    return readFileSync(path);
  } catch (error) {
    wrong.push(`${name}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
    return undefined;
  }
}

/** The file, where it holds certificates of which the first is valid now. */
function certified(name: string, pem: Buffer | undefined, now: Date, wrong: string[]): Buffer | undefined {
  if (!pem) return undefined;
  try {
    const { validTo } = new X509Certificate(pem);
    if (new Date(validTo) > now) return pem;
    wrong.push(`${name}: the certificate has expired (${validTo})`);
  } catch {
    wrong.push(`${name}: must hold a certificate in PEM`);
  }
  return undefined;
}

function pairOf(
  chain: Buffer | undefined,
  key: Buffer | undefined,
  given: Readonly<Record<string, string | undefined>>,
  wrong: string[],
): TemporalTls['certificate'] {
  const [, certFile, keyFile] = FILES;
  if ((given[certFile] === undefined) !== (given[keyFile] === undefined)) {
    const missing = given[keyFile] === undefined ? keyFile : certFile;
    wrong.push(`${missing}: the client certificate and its key must be given together`);
  }
  if (!chain || !key) return undefined;
  try {
    if (new X509Certificate(chain).checkPrivateKey(createPrivateKey(key))) return { chain, key };
    wrong.push(`${keyFile}: is not the key of ${certFile}`);
  } catch {
    wrong.push(`${keyFile}: must hold a private key in PEM without a passphrase`);
  }
  return undefined;
}
