import { randomUUID } from 'node:crypto';
import { type TOTP, URI } from 'otpauth';
import type { Sql } from '../../src/kernel/db/database';
import type { PartyName } from '../../src/kernel/parties';
import { PERMISSIONS, type Permission } from '../../src/kernel/permissions';
import type { Scope } from '../../src/kernel/scopes';
import { createReference } from '../../src/people/reference/reference';
import { type Digest, digest } from '../../test/attack/digest';
import { type Operation, operationsOf } from '../../test/attack/operations';
import type { Kind, Records } from '../../test/attack/records';
import type { Client } from '../../test/support/api';
import { type Ask, asking, type Told } from '../../test/support/ask';
import type { ApiDocument } from './deviations';

/** An installation under attack. */
export interface Target {
  /** Addresses without a trailing slash. */
  api: string;
  desk: string;
  /** The attack looks for traces there, and writes nothing. */
  database: Sql;
  /** Secret that a party of the sandbox signs with. */
  partySecret(party: PartyName): Buffer;
  /** Two operators with all permissions, who sign in without a code. */
  people: Record<'chief' | 'deputy', Person>;
  /** The records of a tenant with money. */
  records: Records;
  /** Whether Temporal delivers, and the listeners are those of production. Tests have neither. */
  isWhole: boolean;
}

export interface Person {
  name: string;
  secret: string;
}

/** A tenant of the attack. */
export interface Attacker {
  clientId: string;
  headers: Record<'x-client-id' | 'x-client-secret', string>;
  ask: Ask;
}

/** An operator who has joined by a link and has a code generator. */
export interface Hired extends Person {
  id: string;
  /** The code of so many half minutes from now. Each works once, and only the present and its neighbours do. */
  code(steps: number): string;
  /** The code that began his session. */
  used: string;
  /** The token of his session. */
  token: string;
  ask: Ask;
}

export interface SecretTerms {
  name?: string;
  scopes?: readonly Scope[];
  addresses?: readonly string[];
}

/** The callers, tenants and operators of an attack. */
export interface World extends Target {
  documents: { api: ApiDocument; desk: ApiDocument };
  /** The operations of both documents that need a credential or a session. */
  operations: Operation[];
  deskOperations: Operation[];
  /** The operations of the desk without a session: signing in, and one-time links. */
  openOperations: Operation[];
  /** Real places of a city and an occupation, for valid bodies. */
  services: { reference: ReturnType<typeof createReference> };
  /** Calls without a credential. */
  ask: Ask;
  askDesk: Ask;
  chief: Ask;
  deputy: Ask;
  decide(by: Ask, name: string, given: object, key?: string): Promise<Told>;
  /** Makes a tenant without a limit of requests. An admin belongs to who makes him. */
  tenant(role?: 'client' | 'admin', by?: Ask): Promise<Attacker>;
  secret(clientId: string, terms: SecretTerms, by?: Ask): Promise<Attacker['headers']>;
  hire(permissions?: readonly Permission[]): Promise<Hired>;
  permit(operatorId: string, permissions: readonly Permission[]): Promise<void>;
  /** Path with the ids of {@link Target.records} where there are any, else ids of nothing. */
  pathOf(operation: Operation): Promise<string>;
  /** The rows that mention these texts. */
  traces(...mentions: string[]): Promise<Digest>;
}

/** @throws Error with the answer of a step that the attack needs */
export async function createWorld(target: Target): Promise<World> {
  const { database, people, records } = target;
  const [ask, askDesk] = [asking(target.api), asking(target.desk)];
  const [api, desk] = (await Promise.all(
    [ask, askDesk].map(async (each) => (await each('GET', '/openapi.json')).body),
  )) as [ApiDocument, ApiDocument];
  const signedIn = async (person: Person & { code?: string }) => {
    const token = String(made(await askDesk('POST', '/desk/v1/sessions', person)).token);
    return { token, ask: asking(target.desk, { authorization: `Bearer ${token}` }) };
  };
  const [{ ask: chief }, { ask: deputy }] = [await signedIn(people.chief), await signedIn(people.deputy)];
  const ofDesk = operationsOf(desk, () => []);
  const hasSession = ({ role }: Operation) => role !== 'public';

  const decide: World['decide'] = (by, name, given, key = randomUUID()) =>
    by('POST', `/desk/v1/decisions/${name}`, { reason: 'attack', ...given }, { 'x-idempotency-key': key });

  async function tenant(role: 'client' | 'admin' = 'client', by = chief): Promise<Attacker> {
    const { result } = made(await decide(by, 'client.create', { input: { name: 'Attack', role } }));
    const { clientId, clientSecret } = result;
    const set = ['rateLimit.perSecond=100000', 'rateLimit.burst=100000'];
    made(await decide(chief, 'client.settings', { subject: clientId, input: { set } }));
    const headers = { 'x-client-id': clientId, 'x-client-secret': clientSecret };
    return { clientId, headers, ask: asking(target.api, headers) };
  }

  async function secret(clientId: string, terms: SecretTerms, by = chief) {
    const input = { name: `s-${randomUUID().slice(0, 8)}`, ...terms };
    const { result } = made(await decide(by, 'client.secret.add', { subject: clientId, input }));
    return { 'x-client-id': clientId, 'x-client-secret': String(result.clientSecret) };
  }

  async function hire(permissions: readonly Permission[] = PERMISSIONS): Promise<Hired> {
    const [name, own] = [`attack-${randomUUID().slice(0, 8)}`, randomUUID()];
    const { result } = made(await decide(chief, 'operator.invite', { input: { name, permissions } }));
    const link = { token: result.token };
    const { codeGenerator } = made(await askDesk('POST', '/desk/v1/links/look', link));
    const generator = URI.parse(codeGenerator) as TOTP;
    const code = (steps: number) => generator.generate({ timestamp: Date.now() + steps * 30_000 });
    made(await askDesk('POST', '/desk/v1/links/use', { ...link, secret: own, code: code(-1) }));
    made(await decide(deputy, 'operator.admit', { subject: result.operatorId }));
    const [person, used] = [{ name, secret: own }, code(0)];
    return { ...person, id: result.operatorId, code, used, ...(await signedIn({ ...person, code: used })) };
  }

  return {
    ...target,
    documents: { api, desk },
    operations: operationsOf(api).filter(hasSession),
    deskOperations: ofDesk.filter(hasSession),
    openOperations: ofDesk.filter((each) => !hasSession(each)),
    services: { reference: createReference() },
    ask,
    askDesk,
    chief,
    deputy,
    decide,
    tenant,
    secret,
    hire,
    async permit(operatorId, permissions) {
      made(await decide(chief, 'operator.permit', { subject: operatorId, input: { permissions } }));
    },
    async pathOf({ path, places }) {
      const ids = new Map<string, string>();
      for (const { in: at, name, kind } of places)
        if (at === 'path') ids.set(name, await idOr(records, kind));
      return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids.get(name) ?? NOBODY));
    },
    traces: (...mentions) => digest({ database }, mentions),
  };
}

/** An id of nothing, which each domain reads as a word. */
export const NOBODY = 'nobody';

/** Whether an attack has a record of each kind depends on the target. */
const idOr = (records: Records, kind: Kind): Promise<string> => records.id(kind).catch(() => NOBODY);

/** @throws Error with the answer when it is a refusal */
export function made({ status, body, text }: Told): any {
  if (status < 200 || status >= 300)
    throw new Error(`The attack could not prepare itself: ${status} ${text}`);
  return body;
}

/** A caller in the shape that drafts and records take. */
export const clientOf = ({ clientId, headers, ask }: Attacker): Client => ({
  clientId,
  clientSecret: headers['x-client-secret'],
  async call(method, path, body, more) {
    const answer = await ask(method, path, body, more);
    return { ...answer, headers: new Headers(answer.headers as Record<string, string>) };
  },
});

/** The reverse of {@link clientOf}. */
export const askOf =
  ({ call }: Client): Ask =>
  async (...given) => {
    const answer = await call(...given);
    return { ...answer, headers: Object.fromEntries(answer.headers) };
  };

/** Tables in which the rows of two digests differ. */
export const changedTables = (before: Digest, after: Digest): string[] =>
  Object.keys(after).filter((table) => after[table] !== before[table]);
