import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runTool } from '../../../src/startup/embedded/run-tool';
import { findOnPath } from '../../../src/startup/embedded/temporal/binary';
import { firstOf, installInto, type ToolContext } from '../../../src/startup/embedded/tool-cache';

const GO_BUILD_MS = 20 * 60_000;
const EXE = process.platform === 'win32' ? '.exe' : '';

/** A program that Go can build from its module. */
export interface GoProgram {
  name: string;
  /** Package and version for `go install`. Go compares its downloads with its public log of checksums. */
  goPackage: string;
  /** Where people get it. */
  home: string;
}

/**
 * Finds a program on the PATH or in the user's cache, or builds it by `go install`.
 * @throws Error that lists the attempts
 */
export function goProgram(program: GoProgram, context: ToolContext): Promise<string> {
  const { name, home } = program;
  const { environment, cacheDir } = context;
  const cached = join(cacheDir, name, name + EXE);
  return firstOf(
    name,
    [
      () => findOnPath(name, environment),
      async () => (existsSync(cached) ? cached : undefined),
      (reasons) => built(program, context, cached, reasons),
    ],
    `Install it (${home}) so that "${name}" is on the PATH.`,
  );
}

async function built(
  { name, goPackage }: GoProgram,
  { environment, cacheDir, onProgress }: ToolContext,
  place: string,
  reasons: string[],
): Promise<string | undefined> {
  const go = await findOnPath('go', environment);
  if (!go) {
    reasons.push('go install: no "go" on the PATH');
    return undefined;
  }
  const line = `Building ${name} with Go (once)`;
  onProgress?.(line);
  try {
    await installInto(cacheDir, name, async (fresh) => {
      const withBin = { ...environment, GOBIN: fresh, CGO_ENABLED: '0' };
      const progress = { line, show: onProgress };
      await runTool(go, ['install', goPackage], { environment: withBin, timeoutMs: GO_BUILD_MS, progress });
    });
    return place;
  } catch (error) {
    reasons.push(`go install: ${(error as Error).message}`);
    return undefined;
  }
}
