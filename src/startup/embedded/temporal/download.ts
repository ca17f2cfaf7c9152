import { chmod, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { extract } from 'tar';
import { EnvHttpProxyAgent, fetch } from 'undici';
import { runTool } from '../run-tool';
import type { ToolContext } from '../tool-cache';

/**
 * Downloads Temporal's programs as the SDK does, but apart from the start of a server. So the download shows its
 * progress, uses our cache, and gives up soon without internet.
 */

const BASE = 'https://temporal.download';
const ANSWER_MS = 10_000;
const STALL_MS = 30_000;
const SHOW_EVERY_MS = 3_000;

interface DownloadInfo {
  archiveUrl: string;
  fileToExtract: string;
}

/**
 * Downloads one of Temporal's programs into a folder.
 * @param artifact the name at temporal.download
 * @returns path of the executable, in `folder`
 * @throws Error when the download cannot be reached or does not exist for this platform
 */
export async function downloadTemporal(
  artifact: 'cli' | 'temporal-test-server',
  sdkVersion: string,
  folder: string,
  context: ToolContext,
): Promise<string> {
  const dispatcher = proxyAgent(context.environment);
  try {
    const url = infoUrl(artifact, sdkVersion, context.downloadBase ?? BASE);
    const answer = await fetch(url, { dispatcher, signal: AbortSignal.timeout(ANSWER_MS) });
    if (!answer.ok) throw new Error(`${new URL(url).host} answered ${answer.status}`);
    const info = (await answer.json()) as DownloadInfo;
    const archive = await fetchArchive(info.archiveUrl, dispatcher, context);
    return await unpack(archive, info, folder, context);
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

function infoUrl(artifact: string, sdkVersion: string, base: string): string {
  const arch = { x64: 'amd64', arm64: 'arm64' }[process.arch as string];
  if (arch === undefined) throw new Error(`there is none for ${process.arch}`);
  const platform = { win32: 'windows', darwin: 'darwin' }[process.platform as string] ?? 'linux';
  const query = new URLSearchParams({
    arch,
    platform,
    format: 'tar.gz',
    'sdk-name': 'sdk-typescript',
    'sdk-version': sdkVersion,
  });
  return `${base}/${artifact}/default?${query.toString()}`;
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
async function unpack(
  archive: Buffer,
  { archiveUrl, fileToExtract }: DownloadInfo,
  folder: string,
  { environment }: ToolContext,
): Promise<string> {
  const file = join(folder, 'archive');
  const target = join(folder, basename(fileToExtract));
  const strip = fileToExtract.split('/').length - 1;
  await writeFile(file, archive);
  if (new URL(archiveUrl).pathname.endsWith('.zip')) {
    // Only Windows gets a zip, and Windows' tar reads it.
    const args = ['-xf', file, '-C', folder, '--strip-components', String(strip), fileToExtract];
    await runTool('tar', args, { environment, timeoutMs: 120_000 });
  } else {
    await extract({ file, cwd: folder, strip, strict: true }, [fileToExtract]);
  }
  await chmod(target, 0o755);
  await rm(file);
  return target;
}
