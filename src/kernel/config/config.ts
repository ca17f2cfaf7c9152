import { join } from 'node:path';
import { z } from 'zod';
import type { AddressList } from '../security/address-lists';
import { LIMIT_VARIABLES, type LimitSettings, limitSettings } from './limits';
import { type MasterKeySettings, readMasterKeys } from './master-keys';
import { type FromOutside, type PartyUse, readOutside } from './outside';
import type { S3Settings } from './s3';
import {
  address,
  addressAsGiven,
  deskUrl,
  networks,
  oneOf,
  port,
  seconds,
  secondsOrNone,
  text,
  whole,
} from './schemas';
import { readSecretFiles } from './secret-files';
import { readSignerOperators, type SignerOperator } from './signer-operators';
import { readStationKeys, type StationKeySetting } from './station-keys';
import { TEMPORAL_VARIABLES } from './temporal';
import { readTemporalAccess, type TemporalAccess } from './temporal-access';

/** Reads the environment of the process. All other code receives a {@link Config}. */

const postgres = z.string().regex(/^postgres(ql)?:\/\//, 'must start with postgres://');

const keyList = z.string().transform((value, context) => {
  const { masterKeys, wrong } = readMasterKeys(value);
  for (const line of wrong) context.addIssue(line);
  return masterKeys;
});

const schema = z.object({
  NODE_ENV: oneOf('development', 'test', 'production').default('development'),
  /** `sandbox`: simulated parties, `/sandbox/*` and demo BINs. `live`: none of them. Required in production. */
  MODE: oneOf('sandbox', 'live').optional(),
  HOST: text.default('127.0.0.1'),
  PORT: port.default(8080),
  METRICS_HOST: text.default('127.0.0.1'),
  METRICS_PORT: port.default(9464),
  /** The desk's listener. Loopback by default. */
  DESK_HOST: text.default('127.0.0.1'),
  /** Default: a free port of the process that plays all roles, which it writes to DATA_DIR; else 8091. */
  DESK_PORT: port.optional(),
  /** Minutes of rest after which an operator's session ends. */
  DESK_SESSION_REST_MINUTES: whole(1, 30).default(30),
  /** Failures in a row by which a name is locked for the address that failed. Default: none, the name waits at most 15 minutes. */
  DESK_LOCK_FAILURES: whole(3, 10).optional(),
  DESK_LOCK_MINUTES: whole(30, 1_440).default(30),
  PUBLIC_URL: address('https://cards.example.com').optional(),
  /** Proxies whose `X-Forwarded-For` is believed, and whose connections are not counted by address. */
  TRUSTED_PROXIES: networks.optional(),
  DATA_DIR: text.default('.data'),
  /** Collector of traces, OTLP over HTTP. Default: no traces. The other `OTEL_…` variables are read by OpenTelemetry itself. */
  OTEL_EXPORTER_OTLP_ENDPOINT: address('http://collector:4318').optional(),
  LOG_LEVEL: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').default('info'),
  /** Address under which the product runs. Its user is the runtime role. */
  DATABASE_URL: postgres.optional(),
  /** Address of the schema's owner, for migrations only. Default: DATABASE_URL, which a live installation refuses. */
  DATABASE_OWNER_URL: postgres.optional(),
  /** Address of the role that reads for reports. Migrations give it its rights; the product does not use it. */
  DATABASE_READER_URL: postgres.optional(),
  DATABASE_POOL: whole(2, 200).default(16),
  /** Whether a worker delivers webhooks. `off` where dispatchers run in processes of their own. */
  WORKER_WEBHOOKS: oneOf('on', 'off').default('on'),
  /** Folder that the embedded Postgres archives its WAL to, for restores to a point in time. */
  WAL_FOLDER: text.optional(),
  ...TEMPORAL_VARIABLES,
  /** The master keys, which seal the installation's keys: the first seals, all open. `id:base64` or `kms:<key>`. */
  MASTER_KEYS: keyList.optional(),
  /** Seal the wallets' seed, as MASTER_KEYS do the installation's keys. Only the signing process has them. */
  SIGNER_KEYS: keyList.optional(),
  /** Who may sign allow-lists: `name:base64` of two operators or more, each an Ed25519 public key of 32 bytes. */
  SIGNER_OPERATORS: z
    .string()
    .transform((value, context) => {
      const { operators, wrong } = readSignerOperators(value);
      for (const line of wrong) context.addIssue(line);
      return operators;
    })
    .optional(),
  /** Keys of stations that AWS KMS or a Web3Signer holds, for the signing process: `address=kms:<key>`, `address=web3signer:<url>`. */
  STATION_KEYS: z
    .string()
    .transform((value, context) => {
      const { keys, wrong } = readStationKeys(value);
      for (const line of wrong) context.addIssue(line);
      return keys;
    })
    .optional(),
  /** Folder of documents, `documents` in DATA_DIR by default. Processes that serve the API must share it. */
  DOCUMENTS_FOLDER: text.optional(),
  /** When given, documents are stored in this bucket instead of a folder. */
  DOCUMENTS_S3_BUCKET: text.optional(),
  /** Default: the endpoint of AWS in the region. */
  DOCUMENTS_S3_ENDPOINT: addressAsGiven('https://s3.eu-central-1.amazonaws.com').optional(),
  DOCUMENTS_S3_REGION: text.default('us-east-1'),
  DOCUMENTS_S3_ACCESS_KEY_ID: text.optional(),
  DOCUMENTS_S3_SECRET_ACCESS_KEY: text.optional(),
  /** Seconds until the sandbox's cardholder reviewer decides. */
  SANDBOX_CARDHOLDER_REVIEW_SECONDS: secondsOrNone.default(1),
  /** Starts a local chain with a test USDT. Default: on in the embedded sandbox, off elsewhere. */
  CHAIN: oneOf('on', 'off').optional(),
  /** For tests: allows a live network with a single node. */
  TEST_SINGLE_NODE: oneOf('on', 'off').default('off'),
  /** The sandbox's rates: `still`, or `moving` up and down around their table by the clock. */
  RATES: oneOf('still', 'moving').default('still'),
  /** With STRIPE_WEBHOOK_SECRET: payers of card deposits are sent to Stripe Checkout. */
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(sk|rk)_(test|live)_\w+$/, 'must be a secret or restricted key of Stripe (sk_… or rk_…)')
    .optional(),
  STRIPE_WEBHOOK_SECRET: z
    .string()
    .regex(/^whsec_\w+$/, 'must be the signing secret of a webhook endpoint at Stripe (whsec_…)')
    .optional(),
  /** With PARTY_CARD_PROCESSOR=stripe or PARTY_CARDHOLDER_REVIEW=stripe: secrets of the endpoints for Issuing, separated by commas. */
  STRIPE_ISSUING_WEBHOOK_SECRET: text.optional(),
  /** With PARTY_CARD_PROCESSOR=stripe: how cards of each BIN are made at Stripe, as JSON. */
  STRIPE_ISSUING_PROGRAMMES: text.optional(),
  /** URL of the API process that serves the simulated parties. Default: the API's own address on this machine. */
  SANDBOX_PARTIES_URL: address('http://api:8080').optional(),
  ...LIMIT_VARIABLES,
  /** Seconds until a difference between the exchange's balance and our books opens a break. */
  SETTLEMENT_DIFFERENCE_SECONDS: seconds.default(3_600),
  /** Seconds until an exchange order without a settlement opens a break. */
  SETTLEMENT_WAIT_SECONDS: seconds.default(259_200),
  /** Seconds until a card issuance or closure that the processor has left open opens a break. */
  CARD_ORDER_WAIT_SECONDS: seconds.default(86_400),
  /** Cooldown of a wallet between two allocations, so that a late payment is not credited to the next payer. */
  WALLET_QUARANTINE_SECONDS: seconds.default(86_400),
  /** Days that events for webhooks are kept, with their attempts. An endpoint may fail for seven before it is disabled. */
  EVENTS_KEPT_DAYS: whole(8, 3_650).default(90),
  /** Secret of the operator who uses a command of the installation. */
  OPERATOR_SECRET: text.optional(),
  /** Address of the desk for operators, for links in Temporal's UI. The command line of a person reads it too. */
  DESK_URL: deskUrl.optional(),
  /** Seconds that a stopping API keeps serving while it reports not ready. Default: 5 in production, else 0. */
  DRAIN_SECONDS: secondsOrNone.optional(),
  /** Seconds that requests in flight may take after the process is told to stop. */
  SHUTDOWN_SECONDS: seconds.default(20),
  /** Name of the npm script, set by npm. */
  npm_lifecycle_event: text.optional(),
});

/** Variables that this file reads. The files beside it read those of parties, mail, rates and the witness. */
export const VARIABLES: readonly string[] = Object.keys(schema.shape);

export type Role = 'api' | 'worker' | 'dispatcher' | 'desk' | 'signer' | 'all';

/** Storage of documents. */
export type DocumentsSettings = { kind: 'folder'; folder: string } | ({ kind: 's3' } & S3Settings);

/** Rest of operators' sessions, and the lock of names that fail, in milliseconds. */
export interface DeskSignIn {
  restMs: number;
  lock: { failures: number; milliseconds: number } | undefined;
}

export interface Config extends FromOutside {
  mode: 'sandbox' | 'live';
  production: boolean;
  host: string;
  port: number;
  /** Loopback by default. */
  deskHost: string;
  deskPort: number | undefined;
  deskSignIn: DeskSignIn;
  /** Loopback by default. */
  metricsHost: string;
  metricsPort: number;
  /** Base URL of the API for clients, without a trailing slash. Default: derived from host and port. */
  publicUrl: string | undefined;
  trustedProxies: AddressList;
  dataDir: string;
  /** Base URL of the collector of traces, without a trailing slash. Absent: no traces. */
  tracesTo: string | undefined;
  logLevel: z.infer<typeof schema>['LOG_LEVEL'];
  /** Absent: an embedded Postgres is started. */
  databaseUrl: string | undefined;
  /** Owner of the schema. Absent: the user of `databaseUrl`. */
  databaseOwnerUrl: string | undefined;
  /** Absent: there is no role for reports. */
  databaseReaderUrl: string | undefined;
  databasePool: number;
  /** Archive of the embedded Postgres's WAL. Absent: none is kept. */
  walFolder: string | undefined;
  temporal: {
    /** Absent: a local Temporal server is started. */
    address: string | undefined;
    namespace: string;
    uiUrl: string | undefined;
    uiPort: number | undefined;
    encrypt: boolean;
    /** TLS, client certificate and API key. */
    access: TemporalAccess;
  };
  /** Absent: created at the first start of the embedded sandbox. Elsewhere the start fails. */
  masterKeys: MasterKeySettings | undefined;
  /** Absent: created at the first start of the embedded sandbox. Elsewhere the process signs nothing. */
  signerKeys: MasterKeySettings | undefined;
  /** Absent: the signing process of a sandbox judges by the configuration of networks and gas stations. */
  signerOperators: readonly SignerOperator[] | undefined;
  /** Keys of stations that other systems hold. Absent: all stations are derived from the seed. */
  stationKeys: readonly StationKeySetting[] | undefined;
  documents: DocumentsSettings;
  cardholderReviewSeconds: number;
  /** Whether the process that plays all roles starts a local chain. */
  chain: boolean;
  singleNodeForTests: boolean;
  workerWebhooks: boolean;
  sandboxRates: 'still' | 'moving';
  /** Without a trailing slash. Absent: the API's own address on this machine. */
  sandboxPartiesUrl: string | undefined;
  drainSeconds: number;
  shutdownSeconds: number;
  limits: LimitSettings;
  settlementDifferenceSeconds: number;
  settlementWaitSeconds: number;
  cardOrderWaitSeconds: number;
  walletQuarantineSeconds: number;
  eventsKeptDays: number;
  /** Absent: the operator of the embedded sandbox. */
  operatorSecret: string | undefined;
  /** Base URL of the desk, without a trailing slash. Absent: links to records are commands of the command line. */
  deskUrl: string | undefined;
  /** Whether npm is the parent process (`npm start`). */
  startedByNpm: boolean;
}

/** The environment is not valid. The message has one line for each wrong variable and suits a terminal. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/**
 * Reads and validates the environment.
 * @param opensKeys false for a process that opens no key of the installation, and so needs no MASTER_KEYS
 * @throws ConfigError naming every variable that is wrong or missing
 */
export function readConfig(
  environment: NodeJS.ProcessEnv = process.env,
  partyUse: PartyUse = 'neither',
  opensKeys = true,
): Config {
  const given = givenIn(environment);
  const parsed = schema.safeParse(given);
  const { wrong: wrongOutside, ...outside } = readOutside(given, partyUse);
  const { access, wrong: wrongAccess } = readTemporalAccess(given);
  const wrong = [
    ...(parsed.success ? wrongTogether(parsed.data, opensKeys) : wrongAlone(parsed.error, given)),
    ...wrongAccess,
    ...wrongOutside,
  ];
  if (!parsed.success || wrong.length > 0) throw new ConfigError(sentences(wrong));
  const config = configOf(parsed.data);
  return { ...config, ...outside, temporal: { ...config.temporal, access } };
}

/**
 * The variables that are not empty, with the secrets that are given as files.
 * @throws ConfigError naming every file that cannot be read
 */
export function givenIn(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const { secrets, wrong } = readSecretFiles(given);
  if (wrong.length > 0) throw new ConfigError(sentences(wrong));
  return { ...given, ...secrets };
}

/** A line for each wrong variable. */
export function sentences(wrong: readonly string[]): string {
  const lines = [...new Set(wrong)].map((line) => line.replace(/\.?$/, '.'));
  if (lines.length === 1) return lines[0] as string;
  return `The environment is not valid:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}

type Environment = z.infer<typeof schema>;

const modeOf = ({ MODE = 'sandbox' }: Environment): Config['mode'] => MODE;

/** Default in production: long enough for a load balancer to notice with one or two probes. */
const DRAIN_SECONDS = 5;

const MINUTE_MS = 60_000;

const deskSignInOf = (env: Environment): DeskSignIn => ({
  restMs: env.DESK_SESSION_REST_MINUTES * MINUTE_MS,
  lock:
    env.DESK_LOCK_FAILURES === undefined
      ? undefined
      : { failures: env.DESK_LOCK_FAILURES, milliseconds: env.DESK_LOCK_MINUTES * MINUTE_MS },
});

function configOf(
  env: Environment,
): Omit<Config, 'temporal' | keyof FromOutside> & { temporal: Omit<Config['temporal'], 'access'> } {
  return {
    mode: modeOf(env),
    production: env.NODE_ENV === 'production',
    host: env.HOST,
    port: env.PORT,
    deskHost: env.DESK_HOST,
    deskPort: env.DESK_PORT,
    deskSignIn: deskSignInOf(env),
    metricsHost: env.METRICS_HOST,
    metricsPort: env.METRICS_PORT,
    publicUrl: env.PUBLIC_URL?.replace(/\/+$/, ''),
    trustedProxies: env.TRUSTED_PROXIES ?? [],
    dataDir: env.DATA_DIR,
    tracesTo: env.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/+$/, ''),
    logLevel: env.LOG_LEVEL,
    databaseUrl: env.DATABASE_URL,
    databaseOwnerUrl: env.DATABASE_OWNER_URL,
    databaseReaderUrl: env.DATABASE_READER_URL,
    databasePool: env.DATABASE_POOL,
    walFolder: env.WAL_FOLDER,
    temporal: {
      address: env.TEMPORAL_ADDRESS,
      namespace: env.TEMPORAL_NAMESPACE,
      uiUrl: env.TEMPORAL_UI_URL,
      uiPort: env.TEMPORAL_UI_PORT,
      encrypt: env.TEMPORAL_ENCRYPTION === 'on' || modeOf(env) === 'live',
    },
    masterKeys: env.MASTER_KEYS,
    signerKeys: env.SIGNER_KEYS,
    signerOperators: env.SIGNER_OPERATORS,
    stationKeys: env.STATION_KEYS,
    documents: documentsOf(env),
    cardholderReviewSeconds: env.SANDBOX_CARDHOLDER_REVIEW_SECONDS,
    chain: env.CHAIN ? env.CHAIN === 'on' : modeOf(env) === 'sandbox' && env.DATABASE_URL === undefined,
    singleNodeForTests: env.TEST_SINGLE_NODE === 'on',
    workerWebhooks: env.WORKER_WEBHOOKS === 'on',
    sandboxRates: env.RATES,
    sandboxPartiesUrl: env.SANDBOX_PARTIES_URL?.replace(/\/+$/, ''),
    limits: limitSettings(env, modeOf(env)),
    settlementDifferenceSeconds: env.SETTLEMENT_DIFFERENCE_SECONDS,
    settlementWaitSeconds: env.SETTLEMENT_WAIT_SECONDS,
    cardOrderWaitSeconds: env.CARD_ORDER_WAIT_SECONDS,
    walletQuarantineSeconds: env.WALLET_QUARANTINE_SECONDS,
    eventsKeptDays: env.EVENTS_KEPT_DAYS,
    operatorSecret: env.OPERATOR_SECRET,
    deskUrl: env.DESK_URL,
    drainSeconds: env.DRAIN_SECONDS ?? (env.NODE_ENV === 'production' ? DRAIN_SECONDS : 0),
    shutdownSeconds: env.SHUTDOWN_SECONDS,
    startedByNpm: env.npm_lifecycle_event === 'start',
  };
}

export const wrongAlone = (
  error: z.ZodError,
  given: Readonly<Record<string, string | undefined>>,
): string[] =>
  error.issues.map(
    ({ path, message }) => `${path.join('.')}: ${message} (given: ${shown(path.join('.'), given)})`,
  );

/** Errors of variables that are valid alone but contradict others. */
function wrongTogether(env: Environment, opensKeys: boolean): string[] {
  const keyless =
    opensKeys && env.MASTER_KEYS === undefined && (env.DATABASE_URL !== undefined || env.MODE === 'live');
  const locked =
    env.DOCUMENTS_S3_BUCKET !== undefined &&
    (env.DOCUMENTS_S3_ACCESS_KEY_ID === undefined || env.DOCUMENTS_S3_SECRET_ACCESS_KEY === undefined);
  return [
    ...(env.MODE === undefined && env.NODE_ENV === 'production'
      ? ['MODE: must be live or sandbox when NODE_ENV is production']
      : []),
    ...(env.DATABASE_OWNER_URL !== undefined && env.DATABASE_URL === undefined
      ? ['DATABASE_URL: must be given with DATABASE_OWNER_URL']
      : []),
    ...(env.WAL_FOLDER !== undefined && env.DATABASE_URL !== undefined
      ? ['WAL_FOLDER: is for the embedded Postgres, and must not be given with DATABASE_URL']
      : []),
    ...(keyless
      ? ['MASTER_KEYS: must be given (id:key, 32 bytes in base64) unless the embedded sandbox runs']
      : []),
    ...(env.DUAL_CONTROL === 'off' && env.MODE === 'live' ? ['DUAL_CONTROL: must be on with MODE=live'] : []),
    ...(env.CHAIN === 'on' && env.MODE === 'live' ? ['CHAIN: must be off with MODE=live'] : []),
    ...(env.TEMPORAL_ENCRYPTION === 'off' && env.MODE === 'live'
      ? ['TEMPORAL_ENCRYPTION: must be on with MODE=live']
      : []),
    ...(locked
      ? ['DOCUMENTS_S3_BUCKET: needs DOCUMENTS_S3_ACCESS_KEY_ID and DOCUMENTS_S3_SECRET_ACCESS_KEY']
      : []),
  ];
}

function documentsOf(env: Environment): DocumentsSettings {
  const { DOCUMENTS_S3_BUCKET: bucket, DOCUMENTS_S3_REGION: region } = env;
  if (bucket === undefined)
    return { kind: 'folder', folder: env.DOCUMENTS_FOLDER ?? join(env.DATA_DIR, 'documents') };
  const endpoint = env.DOCUMENTS_S3_ENDPOINT ?? `https://s3.${region}.amazonaws.com`;
  const {
    DOCUMENTS_S3_ACCESS_KEY_ID: accessKeyId = '',
    DOCUMENTS_S3_SECRET_ACCESS_KEY: secretAccessKey = '',
  } = env;
  return { kind: 's3', endpoint, region, bucket, accessKeyId, secretAccessKey };
}

/** Shows a wrong value in the message, but never one that may be a secret. */
function shown(name: string, given: Readonly<Record<string, string | undefined>>): string {
  return /KEY|SECRET|URL/.test(name) ? 'hidden' : JSON.stringify(given[name] ?? null);
}
