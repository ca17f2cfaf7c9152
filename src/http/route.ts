import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { Call } from '../kernel/caller';
import type { Capability } from '../kernel/capabilities';
import type { Tx } from '../kernel/db/database';
import type { IdempotencyKey } from '../kernel/idempotency';
import type { Party } from '../kernel/parties';
import type { UploadedFile } from '../kernel/wire/file-type';
import type { FileSpec } from './multipart';

/** A body that is signed as it came; of a GET, its path. */
export interface RawRequest {
  bytes: Buffer;
  headers: IncomingHttpHeaders;
}

export interface ApiRequest<Query = unknown, Body = unknown> extends Call {
  params: Record<string, string>;
  query: Query;
  body: Body;
  /** Those that came, of an endpoint that takes `files`. */
  files: Record<string, UploadedFile>;
  /** Of an endpoint that takes its body `raw`. */
  raw?: RawRequest;
}

/** An answer with a status other than the route's usual one, or with headers of its own. */
export class Reply<Body = unknown> {
  constructor(
    readonly status: number,
    readonly body: Body,
    readonly headers: Record<string, string> = {},
  ) {}
}

type Answer = unknown;

/** How `Prefer: wait=N` is served: the record is read again until it is settled, or waits for a person or for another call. */
export interface Settling {
  /** The field of the first answer that names the record: `id` when absent. */
  idField?: string;
  read(request: ApiRequest, id: string): Promise<object>;
  /** Whether the record has ended, or shows that only a person or another call can bring it on. */
  settled(record: never): boolean;
  /** Whether the record waits for a person although its answer does not show it; absent where the answer always does. */
  awaitsPerson?(request: ApiRequest, id: string): Promise<boolean>;
}

/** What must be on for an endpoint: where it is not, the answer is 403 before anything of the request is looked at. */
export interface Needs {
  /** On for the caller, or for whom an admin acts. */
  capability?: Capability;
  /** Beside those that carry the capability. One that the operator has stopped refuses what begins something. */
  party?: Party;
  /** It gives the party no order, whatever its method: it goes on while the party is stopped, as every GET does. */
  asksOnly?: true;
}

export const hasNeeds = ({ capability, party }: Needs): boolean =>
  capability !== undefined || party !== undefined;

interface Common<Q extends z.ZodType, B extends z.ZodType> extends Needs {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/v1/cards/{id}`: every name in braces is a string parameter. */
  path: string;
  /** The group of `interface.md 4.1` that it belongs to. */
  tag: string;
  summary: string;
  description?: string;
  /** `public` needs no credential; `client` (the default) takes any; `admin` only the operator's. */
  role?: 'public' | 'client' | 'admin';
  query?: Q;
  body?: B;
  /** Files that come beside the body's fields, as multipart/form-data. */
  files?: FileSpec;
  /**
   * The body's bytes, so many at most, are handed over as they came, with the headers: they are signed. It takes no `body`
   * then.
   */
  raw?: { limit: number };
  /** The status of an ordinary success: 200 when absent. */
  status?: number;
  /** It also answers 200, with the record that was there already. */
  mayExist?: true;
  /** It also answers 202 with this: the change waits for another person, and nothing has changed. */
  awaitsApproval?: z.ZodType;
  response?: z.ZodType;
  /** The types of an answer that is not JSON. */
  produces?: readonly string[];
  /** What a 503 says beside the error, for the documentation. */
  unavailable?: z.ZodRawShape;
  /** Error codes that it can give beyond those of every endpoint, for the documentation. */
  problems?: string[];
  /** Since when it is deprecated. */
  deprecated?: Date;
  /** Machines ask it over and over: told at debug, and in no histogram. */
  probe?: true;
  settling?: Settling;
}

export interface ReadRoute<Q extends z.ZodType = z.ZodType, B extends z.ZodType = z.ZodType>
  extends Common<Q, B> {
  read(request: ApiRequest<z.output<Q>, z.output<B>>): Promise<Answer>;
}

export interface WriteRoute<Q extends z.ZodType = z.ZodType, B extends z.ZodType = z.ZodType, P = unknown>
  extends Common<Q, B> {
  /** `required`: a 400 without a key, and the key never expires. `ignored`: the answer holds a secret. */
  idempotency?: 'optional' | 'required' | 'ignored';
  /**
   * What must be there before the transaction begins, such as the content of a file in its store or what a party says;
   * `write` is given what it gives, and what it throws is answered as if `write` had thrown it. A repeat does without it. The
   * transaction may come to nothing: its effect must be made good by itself.
   */
  prepare?(request: ApiRequest<z.output<Q>, z.output<B>>): Promise<P>;
  /**
   * Puts into an answer, each time that it is sent, what must not be stored with its key, such as the token of an address
   * that `write` has left out. The same answer must always become the same.
   */
  reveal?(body: string): string;
  /** Runs in one transaction with the key, and may run again after a deadlock: no effect outside of `tx`. */
  write(tx: Tx, request: ApiRequest<z.output<Q>, z.output<B>>, prepared: P): Promise<Answer>;
}

export interface GatheredRoute<Q extends z.ZodType = z.ZodType, B extends z.ZodType = z.ZodType>
  extends Common<Q, B> {
  /** For the hot path: the handler commits the key itself, in a transaction that it shares with other requests. */
  gathered(
    request: ApiRequest<z.output<Q>, z.output<B>>,
    key: IdempotencyKey | undefined,
  ): Promise<{ status: number; body: string; replayed: boolean }>;
}

export type Route = ReadRoute | WriteRoute | GatheredRoute;

/** Joins path, role, schemas and handler in one definition, from which the OpenAPI document is made too. */
export function route<Q extends z.ZodType, B extends z.ZodType, P = unknown>(
  definition: ReadRoute<Q, B> | WriteRoute<Q, B, P> | GatheredRoute<Q, B>,
): Route {
  return definition;
}
