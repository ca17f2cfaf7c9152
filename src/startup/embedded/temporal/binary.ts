import { existsSync } from 'node:fs';
import { access, constants, readdir, rename } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { runTool } from '../run-tool';
import { firstOf, installInto, type ToolContext, type Way } from '../tool-cache';
import { download, type Release } from './download';

/** Newer tags of the CLI refuse `go install` (their go.mod holds replacements). */
const VERSION = '1.5.1';
/** Go compares its downloads with its public log of checksums. */
const GO_PACKAGE = `github.com/temporalio/cli/cmd/temporal@v${VERSION}`;
const archive = (platform: string, sha256: string) => ({
  name: `temporal_cli_${VERSION}_${platform}.tar.gz`,
  sha256,
  program: 'temporal',
});
const RELEASE: Release = {
  base: `https://github.com/temporalio/cli/releases/download/v${VERSION}/`,
  archives: {
    'linux-x64': archive('linux_amd64', 'ddc95e08b0b076efd4ea9733a3f488eb7d2be875f8834e616cd2a37358b4852d'),
    'linux-arm64': archive('linux_arm64', 'bd1b0db9f18b051026de8bf6cc1505f2510f14bbb7a8b9a4a91fff46c77454f5'),
    'darwin-x64': archive('darwin_amd64', 'bbb73e2a31135abe50a1f1cdb35030c42961df618e8ce9c60ae89f201540c5d9'),
    'darwin-arm64': archive(
      'darwin_arm64',
      'cca01b7ea35ad56e2a328d9ae596bf716bd22313ef63c7a761c88354457c2415',
    ),
  },
};
const GO_BUILD_MS = 20 * 60_000;
/** First server with update-with-start and worker deployments enabled by default. */
const OLDEST_SERVER = [1, 28] as const;
const FOLDER = 'temporal-cli';
const EXE = process.platform === 'win32' ? '.exe' : '';

const ADVICE =
  'Install the Temporal CLI (https://docs.temporal.io/cli) so that "temporal" is on the PATH, name it in ' +
  'TEMPORAL_CLI_PATH, or set TEMPORAL_ADDRESS to a server that runs.';

/**
 * Finds the Temporal CLI, whose `server start-dev` is the real server. Tries TEMPORAL_CLI_PATH, the PATH, the cache,
 * the release's download, and `go install`, in this order. The last two only where the context allows to fetch.
 * @param release archives to download; tests replace them
 * @throws Error that lists what was tried and says what to do
 */
export function temporalExecutable(context: ToolContext, release = RELEASE): Promise<string> {
  const ways: Way[] = [
    (reasons) => named(context, reasons),
    (reasons) => onPath(context, reasons),
    (reasons) => cached(context, reasons),
    ...(context.mayFetch === false
      ? [async (reasons: string[]) => void reasons.push('the download: live mode fetches no program')]
      : [
          (reasons: string[]) => downloaded(context, release, reasons),
          (reasons: string[]) => built(context, reasons),
        ]),
  ];
  return firstOf('The Temporal server', ways, ADVICE);
}

/** An executable of that name on the PATH. */
export async function findOnPath(name: string, environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const folder of (environment.PATH ?? environment.Path ?? '').split(delimiter)) {
    const path = join(folder, name + EXE);
    if (
      folder &&
      (await access(path, constants.X_OK).then(
        () => true,
        () => false,
      ))
    )
      return path;
  }
  return undefined;
}

async function named({ environment }: ToolContext, reasons: string[]): Promise<string | undefined> {
  const path = environment.TEMPORAL_CLI_PATH;
  return path ? usable(path, 'TEMPORAL_CLI_PATH', environment, reasons) : undefined;
}

async function onPath({ environment }: ToolContext, reasons: string[]): Promise<string | undefined> {
  const path = await findOnPath('temporal', environment);
  if (path) return usable(path, 'the PATH', environment, reasons);
  reasons.push('the PATH: no "temporal"');
  return undefined;
}

async function cached(context: ToolContext, reasons: string[]): Promise<string | undefined> {
  const path = join(context.cacheDir, FOLDER, `temporal${EXE}`);
  return existsSync(path) ? usable(path, 'the cache', context.environment, reasons) : undefined;
}

async function downloaded(
  context: ToolContext,
  release: Release,
  reasons: string[],
): Promise<string | undefined> {
  context.onFetch?.();
  context.onProgress?.('Downloading the Temporal server (once; about 50 MB)');
  try {
    const folder = await installInto(context.cacheDir, FOLDER, async (fresh) => {
      const file = await download(release, fresh, context);
      await rename(file, join(fresh, `temporal${EXE}`));
    });
    return await usable(join(folder, `temporal${EXE}`), 'the download', context.environment, reasons);
  } catch (error) {
    reasons.push(`the download: ${(error as Error).message}`);
    return undefined;
  }
}

async function built(context: ToolContext, reasons: string[]): Promise<string | undefined> {
  const go = await findOnPath('go', context.environment);
  if (!go) {
    reasons.push('go install: no "go" on the PATH');
    return undefined;
  }
  const line = 'Building the Temporal server with Go (once; some minutes)';
  context.onProgress?.(line);
  try {
    const folder = await installInto(context.cacheDir, FOLDER, async (fresh) => {
      const environment = { ...context.environment, GOBIN: fresh, CGO_ENABLED: '0' };
      const progress = { line, show: context.onProgress };
      await runTool(go, ['install', GO_PACKAGE], { environment, timeoutMs: GO_BUILD_MS, progress });
      if ((await readdir(fresh)).length === 0) throw new Error('it left no program');
    });
    return join(folder, `temporal${EXE}`);
  } catch (error) {
    reasons.push(`go install: ${(error as Error).message}`);
    return undefined;
  }
}

/** Runs the program once. A program that does not run here or is too old is skipped. */
async function usable(
  path: string,
  where: string,
  environment: NodeJS.ProcessEnv,
  reasons: string[],
): Promise<string | undefined> {
  try {
    const answer = await runTool(path, ['--version'], { environment, timeoutMs: 20_000 });
    const [, major, minor] = /Server (\d+)\.(\d+)/.exec(answer)?.map(Number) ?? [];
    const [oldestMajor, oldestMinor] = OLDEST_SERVER;
    if (major !== undefined && minor !== undefined) {
      if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return path;
      reasons.push(`${where}: ${path} has server ${major}.${minor}, ${OLDEST_SERVER.join('.')} is needed`);
    } else {
      reasons.push(`${where}: ${path} is not the Temporal CLI`);
    }
  } catch (error) {
    reasons.push(`${where}: ${path} does not run (${(error as Error).message})`);
  }
  return undefined;
}
