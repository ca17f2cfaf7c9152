import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { S3Settings } from '../../../src/kernel/config/s3';
import { ownPort } from '../own-port';
import { faultOfSignature } from './signature-v4';

export interface S3Server {
  settings: S3Settings;
  close(): Promise<void>;
}

const KEY = { accessKeyId: 'AKIATESTTESTTEST', secretAccessKey: 'a secret/with+all=kinds' };

/** Fault of the next requests: `hang` never answers, `break` closes the connection. */
export type S3Fault = { status: number; code: string } | 'hang' | 'break';

export interface S3Double extends S3Server {
  /** Stored bytes by path. */
  objects: Map<string, Buffer>;
  /** When the object lock (compliance mode) of an object ends, by path. */
  locks: Map<string, Date>;
  /** All requests, including refused ones. */
  requests: { method: string; path: string }[];
  faults: S3Fault[];
}

/**
 * Starts a server for the part of the S3 protocol that the adapter uses, with one bucket, `documents`. It checks each
 * request's signature.
 */
export async function startS3Double(): Promise<S3Double> {
  const objects = new Map<string, Buffer>();
  const locks = new Map<string, Date>();
  const requests: { method: string; path: string }[] = [];
  const faults: S3Fault[] = [];
  const region = 'eu-test-1';
  const signer = { service: 's3', region, ...KEY, signs: ['x-amz-content-sha256'] } as const;

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const { method = '', url: path = '' } = request;
      requests.push({ method, path });
      const fail = (status: number, code: string) =>
        response.writeHead(status).end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
      const fault = faults.shift();
      if (fault === 'hang') return;
      if (fault === 'break') return void request.socket.destroy();
      if (fault) return void fail(fault.status, fault.code);
      const wrong = faultOfSignature(request, body, signer);
      if (wrong) return void fail(403, wrong);
      if (!path.startsWith('/documents/')) return void fail(404, 'NoSuchBucket');
      if (path.startsWith('/documents/?')) return void response.writeHead(200).end(listing(objects, path));
      if (
        method !== 'GET' &&
        (locks.get(path)?.getTime() ?? 0) > Date.now() &&
        !request.headers['if-none-match']
      )
        return void fail(403, 'AccessDenied');
      if (method === 'PUT') {
        if (request.headers['if-none-match'] === '*' && objects.has(path))
          return void fail(412, 'PreconditionFailed');
        const until = request.headers['x-amz-object-lock-retain-until-date'];
        const isWhole =
          request.headers['x-amz-checksum-sha256'] === createHash('sha256').update(body).digest('base64');
        if (until !== undefined && !isWhole) return void fail(400, 'InvalidRequest'); // as Amazon's S3
        if (request.headers['x-amz-object-lock-mode'] === 'COMPLIANCE')
          locks.set(path, new Date(String(until)));
        objects.set(path, body);
        return void response.writeHead(200, { etag: '"x"' }).end();
      }
      if (method === 'DELETE') {
        objects.delete(path);
        return void response.writeHead(204).end();
      }
      const found = objects.get(path);
      if (!found) return void fail(404, 'NoSuchKey');
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(found);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    objects,
    locks,
    requests,
    faults,
    settings: { endpoint, region, bucket: 'documents', ...KEY },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A page of two objects, in the order of their names. */
function listing(objects: ReadonlyMap<string, Buffer>, path: string): string {
  const { searchParams } = new URL(path, 'http://localhost');
  const after = searchParams.get('continuation-token') ?? '';
  const names = [...objects.keys()]
    .map((each) => decodeURIComponent(each.slice('/documents/'.length)))
    .filter((name) => name.startsWith(searchParams.get('prefix') ?? '') && name > after)
    .sort();
  const page = names.slice(0, 2);
  const more = names.length > 2 ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  const contents = page.map((name) => `<Contents><Key>${name}</Key></Contents>`).join('');
  return `<ListBucketResult>${contents}${more}</ListBucketResult>`;
}

/** Returns the program of a real S3 server (github.com/versity/versitygw) on the PATH, if any. */
export function realS3Program(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, 'versitygw')).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Starts a real S3 server on its own folder, with the bucket `documents`. */
export async function startRealS3(program: string): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), 'cardwright-s3-'));
  await mkdir(join(folder, 'data', 'documents'), { recursive: true });
  await mkdir(join(folder, 'meta'));
  const port = await ownPort();
  const child = spawn(
    program,
    ['--port', `127.0.0.1:${port}`, 'posix', '--sidecar', join(folder, 'meta'), join(folder, 'data')],
    {
      env: { ROOT_ACCESS_KEY: KEY.accessKeyId, ROOT_SECRET_KEY: KEY.secretAccessKey },
      stdio: 'ignore',
    },
  );
  const endpoint = `http://127.0.0.1:${port}`;
  await untilAnswered(endpoint, child);
  return {
    settings: { endpoint, region: 'us-east-1', bucket: 'documents', ...KEY },
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function untilAnswered(url: string, child: ChildProcess): Promise<void> {
  for (let tried = 0; tried < 200; tried += 1) {
    if (child.exitCode !== null) throw new Error(`the S3 server ended with ${child.exitCode}`);
    if (await fetch(url).catch(() => undefined)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the S3 server does not answer');
}
