import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { Context } from 'koa';
import { invalid, Problem } from '../kernel/errors';
import { FILE_TYPES, fileTypeOf, type UploadedFile } from '../kernel/wire/file-type';
import { hasBody, readJson } from './body';

/** Largest file (decisions part 1, Limits). */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;
/** Largest size of all text fields, boundaries and part headers. Far more than any endpoint needs. */
const MAX_FORM_BYTES = 64 * 1024;
const MAX_PARTS = 20;

/** Files of an endpoint by the name of their part. */
export type FileSpec = Record<string, 'required' | 'optional'>;

export interface Form {
  /** Text fields, not validated yet. */
  body: Record<string, unknown>;
  files: Record<string, UploadedFile>;
}

/**
 * Reads the body of an endpoint with files: multipart/form-data, or a JSON object if no file is required.
 * @throws Problem 413 for a file above 10 MiB; 415 for another content type, and for a file that is not JPEG, PNG or
 *   PDF; 400 for a part that is malformed, repeated, empty or unknown
 */
export async function readForm(ctx: Context, spec: FileSpec): Promise<Form> {
  if (/^multipart\/form-data\s*;/i.test(ctx.get('content-type'))) return readMultipart(ctx, spec);
  if (Object.values(spec).includes('required') && hasBody(ctx)) throw notMultipart();
  return { body: await readJson(ctx), files: {} };
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

async function readMultipart(ctx: Context, spec: FileSpec): Promise<Form> {
  const files = Object.keys(spec);
  if (Number(ctx.get('content-length')) > files.length * MAX_FILE_BYTES + MAX_FORM_BYTES) throw tooLarge();
  if (!['', 'identity'].includes(ctx.get('content-encoding'))) throw notMultipart();
  const { fields, received } = await parse(ctx.req, parserOf(ctx), files);
  return { body: Object.fromEntries(fields), files: Object.fromEntries([...received].map(checked)) };
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
  received: Map<string, Buffer>;
}

/** Reads to the end of the form or to its first error. The rest of the request is then dropped. */
function parse(request: IncomingMessage, parser: BusboyInstance, files: string[]): Promise<Parsed> {
  const parsed: Parsed = { fields: new Map(), received: new Map() };
  const once = (name: string) => {
    if (parsed.fields.has(name) || parsed.received.has(name))
      throw invalid(`${name} must be sent once.`, name);
  };
  return new Promise((resolve, reject) => {
    const fail = (problem: Problem) => {
      request.unpipe(parser);
      request.resume();
      reject(problem);
    };
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
        if (files.includes(name)) throw invalid(`${name} must be a file.`, name);
        if (valueCut) throw tooLarge();
        parsed.fields.set(name, value);
      }),
    );
    parser.on('file', (name, stream) => {
      stream.on('error', () => fail(malformed())); // the form ends within the file
      guarded(() => {
        once(assertName(name));
        if (!files.includes(name)) throw invalid(`${name} is not a file of this request.`, name);
        parsed.received.set(name, Buffer.alloc(0));
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => void chunks.push(chunk));
        stream.on('limit', () => fail(tooLarge()));
        stream.on('end', () => void parsed.received.set(name, Buffer.concat(chunks)));
      });
    });
    parser.on('partsLimit', () => fail(invalid(`The form must have at most ${MAX_PARTS} parts.`)));
    parser.on('error', () => fail(malformed()));
    parser.on('finish', () => resolve(parsed));
    request.on('error', () => fail(malformed()));
    request.on('aborted', () => fail(malformed()));
    request.pipe(parser);
  });
}

function assertName(name: string | undefined): string {
  if (!name) throw malformed();
  return name;
}

function checked([name, bytes]: [string, Buffer]): [string, UploadedFile] {
  if (bytes.length === 0) throw invalid(`${name} must not be empty.`, name);
  if (bytes.length > MAX_FILE_BYTES) throw tooLarge();
  const contentType = fileTypeOf(bytes);
  if (!contentType)
    throw new Problem(
      415,
      'unsupported_media_type',
      `${name} must be one of ${FILE_TYPES.join(', ')}, by its content.`,
      name,
    );
  return [name, { bytes, contentType, sha256: createHash('sha256').update(bytes).digest('hex') }];
}

const tooLarge = () =>
  new Problem(413, 'payload_too_large', 'A file may have at most 10 MiB, the other fields 64 KiB.');
const malformed = () => invalid('The body is not well-formed multipart/form-data.');
const notMultipart = () =>
  new Problem(
    415,
    'unsupported_media_type',
    'The body must be multipart/form-data with a boundary, without a content encoding.',
  );
