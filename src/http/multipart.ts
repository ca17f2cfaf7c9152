import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { Context } from 'koa';
import { invalid, Problem } from '../kernel/errors';
import {
  FILE_HEADER_BYTES,
  FILE_TYPES,
  type FileType,
  fileTypeOf,
  type UploadedFile,
} from '../kernel/wire/file-type';
import { hasBody, readJson } from './body';
import { createSpool, type Spool } from './spool';

/** Largest file (decisions part 1, Limits). */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;
/** Largest size of all text fields, boundaries and part headers. Far more than any endpoint needs. */
const MAX_FORM_BYTES = 64 * 1024;
const MAX_PARTS = 20;

/** Uploads under way: four of the largest files of a tenant, sixteen in a process. Further ones wait for ten seconds. */
export const UPLOAD_LIMITS = {
  tenantBytes: 4 * (MAX_FILE_BYTES + MAX_FORM_BYTES),
  processBytes: 16 * (MAX_FILE_BYTES + MAX_FORM_BYTES),
  waitMs: 10_000,
  waiting: 100,
};

/** Files of an endpoint by the name of their part. */
export type FileSpec = Record<string, 'required' | 'optional'>;

export interface Form {
  /** Text fields, not validated yet. */
  body: Record<string, unknown>;
  files: Record<string, UploadedFile>;
  /** Forgets the files. Called when the request ends. */
  release(): Promise<void>;
}

/** A form without files. */
export const formOf = (body: Record<string, unknown>): Form => ({
  body,
  files: {},
  release: async () => undefined,
});

/** Waits until this many bytes of the caller may be under way. @throws Problem 429 */
type Reserve = (bytes: number) => Promise<() => void>;

/**
 * Reads the body of an endpoint with files: multipart/form-data, or a JSON object if no file is required.
 * @throws Problem 413 for a file above 10 MiB; 415 for another content type, and for a file that is not JPEG, PNG or
 *   PDF; 400 for a part that is malformed, repeated, empty or unknown; 429 while too many uploads are under way
 */
export async function readForm(ctx: Context, spec: FileSpec, reserve: Reserve): Promise<Form> {
  if (/^multipart\/form-data\s*;/i.test(ctx.get('content-type'))) return readMultipart(ctx, spec, reserve);
  if (Object.values(spec).includes('required') && hasBody(ctx)) throw notMultipart();
  return formOf(await readJson(ctx));
}

/** @throws Problem 400 naming the missing file, with the same shape as for any other field */
export function assertFiles(files: Record<string, UploadedFile>, spec: FileSpec): void {
  for (const [name, need] of Object.entries(spec)) {
    if (need === 'required' && !(name in files)) throw invalid(`${name} is required.`, name);
  }
}

/** Contribution of files to the idempotency fingerprint: name and hash of each part. */
export function fileHashes(files: Record<string, UploadedFile>): string[] {
  return Object.entries(files)
    .map(([name, { sha256 }]) => `${name} ${sha256}`)
    .sort();
}

async function readMultipart(ctx: Context, spec: FileSpec, reserve: Reserve): Promise<Form> {
  const names = Object.keys(spec);
  const most = names.length * MAX_FILE_BYTES + MAX_FORM_BYTES;
  const declared = Number(ctx.get('content-length'));
  if (declared > most) throw tooLarge();
  if (!['', 'identity'].includes(ctx.get('content-encoding'))) throw notMultipart();
  const parser = parserOf(ctx);
  const free = await reserve(declared > 0 ? declared : most);
  const spools: Spool[] = [];
  const release = async () => {
    free();
    await Promise.all(spools.map((spool) => spool.close()));
  };
  try {
    const opened = async () => {
      const spool = await createSpool();
      spools.push(spool);
      return spool;
    };
    const { fields, files } = await parse(ctx.req, parser, names, opened);
    return { body: Object.fromEntries(fields), files: Object.fromEntries(files), release };
  } catch (error) {
    await release();
    throw error;
  }
}

function parserOf(ctx: Context): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...ctx.headers, 'content-type': ctx.get('content-type') },
      limits: {
        fileSize: MAX_FILE_BYTES + 1, // one more than allowed, so that a larger file is detected
        fieldSize: MAX_FORM_BYTES,
        parts: MAX_PARTS,
        headerPairs: MAX_PARTS,
        headerSize: MAX_FORM_BYTES,
      },
    });
  } catch {
    throw malformed(); // no boundary
  }
}

interface Parsed {
  fields: Map<string, string>;
  files: Map<string, UploadedFile>;
}

type OpenSpool = () => Promise<Spool>;

/**
 * Reads to the end of the form or to its first error. The rest of the request is then dropped. Files are spooled as they
 * come, so the form is read no faster than they are written.
 */
async function parse(
  request: IncomingMessage,
  parser: BusboyInstance,
  names: string[],
  openSpool: OpenSpool,
): Promise<Parsed> {
  const fields = new Map<string, string>();
  const spooling = new Map<string, Promise<UploadedFile>>();
  const streams: Readable[] = [];
  const once = (name: string) => {
    if (fields.has(name) || spooling.has(name)) throw invalid(`${name} must be sent once.`, name);
  };
  try {
    if (request.destroyed) throw malformed(); // the caller has hung up meanwhile
    await new Promise<void>((resolve, reject) => {
      const fail = (problem: Problem) => reject(problem);
      const guarded = (work: () => void) => {
        try {
          work();
        } catch (error) {
          fail(error as Problem);
        }
      };
      parser.on('field', (name, value, _nameCut, valueCut) =>
        guarded(() => {
          once(assertName(name));
          if (names.includes(name)) throw invalid(`${name} must be a file.`, name);
          if (valueCut) throw tooLarge();
          fields.set(name, value);
        }),
      );
      parser.on('file', (name, stream) => {
        streams.push(stream);
        stream.on('error', () => fail(malformed())); // the form ends within the file
        guarded(() => {
          once(assertName(name));
          if (!names.includes(name)) throw invalid(`${name} is not a file of this request.`, name);
          const file = spooled(name, stream, openSpool);
          file.catch(fail);
          spooling.set(name, file);
        });
      });
      parser.on('partsLimit', () => fail(invalid(`The form must have at most ${MAX_PARTS} parts.`)));
      parser.on('error', () => fail(malformed()));
      parser.on('finish', () => resolve());
      request.on('error', () => fail(malformed()));
      request.on('aborted', () => fail(malformed()));
      request.pipe(parser);
    });
    const files = new Map<string, UploadedFile>();
    for (const [name, file] of spooling) files.set(name, await file);
    return { fields, files };
  } catch (error) {
    request.unpipe(parser);
    request.resume();
    for (const stream of streams) stream.destroy();
    await Promise.allSettled(spooling.values()); // none opens or writes its spool after this
    throw error;
  }
}

/**
 * Spools a file, and judges it as its bytes come.
 * @throws Problem 413 above 10 MiB; 415 as soon as the first bytes show no accepted type; 400 for an empty file
 */
async function spooled(name: string, stream: Readable, openSpool: OpenSpool): Promise<UploadedFile> {
  const spool = await openSpool();
  const hash = createHash('sha256');
  let head = Buffer.alloc(0);
  let size = 0;
  let contentType: FileType | undefined;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_FILE_BYTES) throw tooLarge();
    if (contentType === undefined) {
      head = Buffer.concat([head, chunk]);
      contentType = fileTypeOf(head);
      if (contentType === undefined && head.length >= FILE_HEADER_BYTES) throw wrongType(name);
    }
    hash.update(chunk);
    await spool.write(chunk);
  }
  if (size === 0) throw invalid(`${name} must not be empty.`, name);
  if (contentType === undefined) throw wrongType(name);
  return { size, contentType, sha256: hash.digest('hex'), read: spool.read };
}

function assertName(name: string | undefined): string {
  if (!name) throw malformed();
  return name;
}

const wrongType = (name: string) =>
  new Problem(
    415,
    'unsupported_media_type',
    `${name} must be one of ${FILE_TYPES.join(', ')}, by its content.`,
    name,
  );
const tooLarge = () =>
  new Problem(413, 'payload_too_large', 'A file may have at most 10 MiB, the other fields 64 KiB.');
const malformed = () => invalid('The body is not well-formed multipart/form-data.');
const notMultipart = () =>
  new Problem(
    415,
    'unsupported_media_type',
    'The body must be multipart/form-data with a boundary, without a content encoding.',
  );
