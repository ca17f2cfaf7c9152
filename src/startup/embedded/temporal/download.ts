import { createHash } from 'node:crypto';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { extract } from 'tar';
import { EnvHttpProxyAgent, fetch } from 'undici';
import type { ToolContext } from '../tool-cache';

/** Downloads released programs, each by the checksum that the product knows, with its progress shown. */

const STALL_MS = 30_000;
const SHOW_EVERY_MS = 3_000;

/** A released program. */
export interface Release {
  /** Address of the archives' folder, with a slash at its end. */
  base: string;
  /** Archives by `process.platform` and `process.arch`, such as `linux-x64`. No other one is downloaded. */
  archives: Readonly<Record<string, Archive>>;
}

export interface Archive {
  /** A compressed tar, by its name below the base. */
  name: string;
  /** Hexadecimal. */
  sha256: string;
  /** Path of the program in the archive. */
  program: string;
}

/**
 * Downloads the archive of this platform and unpacks its program into a folder.
 * @returns path of the executable, in `folder`
 * @throws Error when the archive cannot be reached, is not the released one, or does not exist for this platform
 */
export async function download(release: Release, folder: string, context: ToolContext): Promise<string> {
  const platform = `${process.platform}-${process.arch}`;
  const archive = release.archives[platform];
  if (!archive) throw new Error(`there is none for ${platform} whose checksum is known`);
  const dispatcher = proxyAgent(context.environment);
  try {
    const bytes = await fetchArchive(release.base + archive.name, dispatcher, context);
    const found = createHash('sha256').update(bytes).digest('hex');
    if (found !== archive.sha256) throw new Error(`${archive.name} has not the checksum of its release`);
    return await unpack(bytes, archive.program, folder);
  } catch (error) {
    throw new Error(reasonOf(error as Error));
  } finally {
    await dispatcher.close();
  }
}

/** The message of "fetch failed" is in its cause, as a message or a code. */
function reasonOf({ message, cause }: Error): string {
  const { message: detail, code } = (cause ?? {}) as { message?: string; code?: string };
  return [message, detail || code].filter(Boolean).join(': ');
}

/** Proxy of the environment, because Node's own fetch ignores HTTPS_PROXY. */
function proxyAgent(environment: NodeJS.ProcessEnv): EnvHttpProxyAgent {
  return new EnvHttpProxyAgent({
    httpProxy: environment.HTTP_PROXY ?? environment.http_proxy ?? '',
    httpsProxy: environment.HTTPS_PROXY ?? environment.https_proxy ?? '',
    noProxy: environment.NO_PROXY ?? environment.no_proxy ?? '',
    connect: { timeout: 5_000 },
    bodyTimeout: STALL_MS,
    headersTimeout: STALL_MS,
  });
}

async function fetchArchive(
  url: string,
  dispatcher: EnvHttpProxyAgent,
  context: ToolContext,
): Promise<Buffer> {
  const answer = await fetch(url, { dispatcher });
  if (!answer.ok || !answer.body) throw new Error(`${new URL(url).host} answered ${answer.status}`);
  const total = Number(answer.headers.get('content-length') ?? 0);
  const parts: Uint8Array[] = [];
  let received = 0;
  let shown = Date.now();
  for await (const part of answer.body) {
    parts.push(part as Uint8Array);
    received += (part as Uint8Array).length;
    if (Date.now() - shown < SHOW_EVERY_MS) continue;
    shown = Date.now();
    context.onProgress?.(`  ${megabytes(received)}${total > 0 ? ` of ${megabytes(total)}` : ''} MB`);
  }
  return Buffer.concat(parts);
}

function megabytes(bytes: number): string {
  return (bytes / 1_048_576).toFixed(0);
}

/** Unpacks the program to `folder`, without the folders that the archive has around it. */
async function unpack(archive: Buffer, program: string, folder: string): Promise<string> {
  const file = join(folder, 'archive');
  const target = join(folder, basename(program));
  await writeFile(file, archive);
  await extract({ file, cwd: folder, strip: program.split('/').length - 1, strict: true }, [program]);
  await chmod(target, 0o755);
  await rm(file);
  return target;
}
