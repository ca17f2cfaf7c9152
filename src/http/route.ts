import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { Call } from '../kernel/caller';
import type { Capability } from '../kernel/capabilities';
import type { Sql, Tx } from '../kernel/db/database';
import type { IdempotencyKey } from '../kernel/idempotency';
import type { Party } from '../kernel/parties';
import type { Permission } from '../kernel/permissions';
import type { Scope } from '../kernel/scopes';
import type { UploadedFile } from '../kernel/wire/file-type';
import type { FileSpec } from './multipart';

/** A signed body with its headers. For GET, `bytes` is the path. */
export interface RawRequest {
  bytes: Buffer;
  headers: IncomingHttpHeaders;
}

export interface ApiRequest<Query = unknown, Body = unknown> extends Call {
  params: Record<string, string>;
  query: Query;
  body: Body;
  /** Where the request came from, as the socket says. */
  address: string;
  /** Received files of an endpoint with `files`. */
  files: Record<string, UploadedFile>;
  /** Present on endpoints with `raw`. */
  raw?: RawRequest;
  /** On endpoints with `produces`: the type among them that the header `Accept` prefers. Absent when it wants none. */
  accepted?: string;
}

/** An answer with another status than the route's, or with headers of its own. */
export class Reply<Body = unknown> {
  constructor(
    readonly status: number,
    readonly body: Body,
    readonly headers: Record<string, string> = {},
  ) {}
}

type Answer = unknown;

/**
 * How `Prefer: wait=N` is served: the record is read again until it is settled, or waits for a person or another call.
 */
export interface Settling {
  /** Field of the first answer with the record's id. Default: `id`. */
  idField?: string;
  read(request: ApiRequest, id: string): Promise<object>;
  /** Whether the record has ended, or shows that it waits for a person or another call. */
  settled(record: never): boolean;
  /**
   * Whether the record waits for a person although its answer does not show it. Absent where the answer always does.
   */
  awaitsPerson?(request: ApiRequest, id: string): Promise<boolean>;
}

/** Capability and party that an endpoint needs. If one is off, the answer is 403 before the request is validated. */
export interface Needs {
  /** Must be on for the caller, or for the tenant for whom an admin acts. */
  capability?: Capability;
  /** Needed in addition to the capability's parties. A party that the operator has stopped refuses new orders. */
  party?: Party;
  /** The endpoint gives the party no order, so it works while the party is stopped, as every GET does. */
  asksOnly?: true;
}

export const hasNeeds = ({ capability, party }: Needs): boolean =>
  capability !== undefined || party !== undefined;

interface Common<Q extends z.ZodType, B extends z.ZodType> extends Needs {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/v1/cards/{id}`: each name in braces is a string parameter. */
  path: string;
  /** Group of `interface.md 4.1`. */
  tag: string;
  summary: string;
  description?: string;
  /**
   * `public` needs no credential, `client` (the default) any credential, `admin` an operator's. `operator` is of the desk
   * and needs a session.
   */
  role?: 'public' | 'client' | 'admin' | 'operator';
  /**
   * Permission of an operator who calls it by his credential. Required with the role `admin`; otherwise `permission.ts` has a
   * default.
   */
  permission?: Permission;
  /**
   * Fields of the answer that hold personal data. Each admin's reading is audited with their names. The stored answer of a
   * key has them sealed (`kept-answer.ts`).
   */
  personal?: readonly string[];
  query?: Q;
  body?: B;
  /** Files of a multipart/form-data request, beside the fields of `body`. */
  files?: FileSpec;
  /** Passes the body's unchanged bytes, at most `limit`, and the headers, for signatures. Excludes `body`. */
  raw?: { limit: number };
  /** Status of a success. Default: 200. */
  status?: number;
  /** Also answers 200, with a record that exists already. */
  mayExist?: true;
  /** Also answers 202 with this schema, while the change waits for another person's approval. */
  awaitsApproval?: z.ZodType;
  response?: z.ZodType;
  /** Content types of the answer, where they are not JSON alone. `response` describes the JSON among them. */
  produces?: readonly string[];
  /** Further fields of a 503, for the documentation. */
  unavailable?: z.ZodRawShape;
  /** Error codes beyond those of every endpoint, for the documentation. */
  problems?: string[];
  /** Moment of the deprecation. */
  deprecated?: Date;
  /** Called repeatedly by machines. Logged at `debug`, and left out of the request histogram. */
  probe?: true;
  settling?: Settling;
}

export interface ReadRoute<Q extends z.ZodType = z.ZodType, B extends z.ZodType = z.ZodType>
  extends Common<Q, B> {
  read(request: ApiRequest<z.output<Q>, z.output<B>>): Promise<Answer>;
}

export interface WriteRoute<Q extends z.ZodType = z.ZodType, B extends z.ZodType = z.ZodType, P = unknown>
  extends Common<Q, B> {
  /** `required`: 400 without a key, and the key never expires. `ignored`: for answers that hold a secret. */
  idempotency?: 'optional' | 'required' | 'ignored';
  /**
   * Names the user whose data the fields `personal` of an answer are, for its stored form. Null: they belong to no user.
   * It or `personBefore` is required with `personal`, unless the key is ignored.
   */
  personOf?(answer: Record<string, unknown>): string | null;
  /** As `personOf`, by the request. Read beside the write's first statements, because others wait for its last locks. */
  personBefore?(request: ApiRequest<z.output<Q>, z.output<B>>, sql: Sql): Promise<string | null>;
  /**
   * Runs before the transaction, to store a file or ask a party. `write` receives its result, and its error is answered
   * as if `write` had thrown it. A repeat with the same key skips it. The transaction may still roll back, so the
   * effect must be recoverable.
   */
  prepare?(request: ApiRequest<z.output<Q>, z.output<B>>): Promise<P>;
  /**
   * Adds to each sent answer a part that must not be stored with the key, such as the token of an address.
   * Deterministic.
   */
  reveal?(body: string): string;
  /**
   * Runs after the commit and before the answer of a success, also of a repeat, because its process may have died before.
   * Must not throw.
   */
  finish?(): Promise<void>;
  /** Runs in one transaction with the key. May run again after a deadlock, so it has no effect outside of `tx`. */
  write(tx: Tx, request: ApiRequest<z.output<Q>, z.output<B>>, prepared: P): Promise<Answer>;
}

export interface GatheredRoute<Q extends z.ZodType = z.ZodType, B extends z.ZodType = z.ZodType>
  extends Common<Q, B> {
  /** For the hot path. The handler commits the key itself, in a transaction that it shares with other requests. */
  gathered(
    request: ApiRequest<z.output<Q>, z.output<B>>,
    key: IdempotencyKey | undefined,
  ): Promise<{ status: number; body: string; replayed: boolean; headers?: Record<string, string> }>;
}

/**
 * The scope that a client's secret needs. A GET needs `read` unless it names another one. Every other endpoint with a
 * credential names its scope, so that none is forgotten.
 */
type Scoped =
  | { method: 'GET'; scope?: Scope | null }
  | { role: 'public' | 'operator'; scope?: null }
  | { scope: Scope | null };

/** An endpoint of any kind. */
export type AnyRoute = ReadRoute | WriteRoute | GatheredRoute;

/** An endpoint. `scope` is null where no client's secret is asked for. */
export type Route = AnyRoute & { scope: Scope | null };

/** Defines an endpoint: path, role, schemas and handler. The OpenAPI document is built from the same definition. */
export function route<Q extends z.ZodType, B extends z.ZodType, P = unknown>(
  definition: (ReadRoute<Q, B> | WriteRoute<Q, B, P> | GatheredRoute<Q, B>) & Scoped,
): Route {
  const { role = 'client', scope = 'read' } = definition;
  return { ...definition, scope: role === 'public' || role === 'operator' ? null : scope };
}
