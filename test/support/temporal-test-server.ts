import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runTool } from '../../src/startup/embedded/run-tool';
import { findOnPath } from '../../src/startup/embedded/temporal/binary';
import { download, type Release } from '../../src/startup/embedded/temporal/download';
import { firstOf, installInto, type ToolContext, type Way } from '../../src/startup/embedded/tool-cache';

const VERSION = '1.38.0';
const RELEASE: Release = {
  base: `https://github.com/temporalio/sdk-java/releases/download/v${VERSION}/`,
  archives: {
    'linux-x64': {
      name: `temporal-test-server_${VERSION}_linux_amd64.tar.gz`,
      sha256: '41df834fe8e1ac59619e13908f41b63e4d1054f37634a2f89033d8cf6af71b96',
      program: `temporal-test-server_${VERSION}_linux_amd64/temporal-test-server`,
    },
  },
};
const MAVEN_MS = 10 * 60_000;
const FOLDER = 'temporal-test-server';
const EXE = process.platform === 'win32' ? '.exe' : '';

const ADVICE =
  'Name an executable of https://github.com/temporalio/sdk-java/releases (temporal-test-server) in ' +
  'TEMPORAL_TEST_SERVER_PATH, or install Java and Maven.';

/**
 * Returns the path of the Temporal test server, whose clock skips idle time. The server is named by
 * TEMPORAL_TEST_SERVER_PATH, in the cache, downloaded from its release, or Maven's with a start script.
 * @param release archives to download; a test replaces them
 * @returns a path for `TestWorkflowEnvironment.createTimeSkipping({ server: { executable: { type: 'existing-path', path
 * } } })`
 * @throws Error that lists the attempts and says what to do
 */
export function testServerExecutable(context: ToolContext, release = RELEASE): Promise<string> {
  const ways: Way[] = [
    (reasons) => named(context, reasons),
    () => cached(context),
    (reasons) => downloaded(context, release, reasons),
    (reasons) => fromMaven(context, reasons),
  ];
  return firstOf('The Temporal test server', ways, ADVICE);
}

async function named({ environment }: ToolContext, reasons: string[]): Promise<string | undefined> {
  const path = environment.TEMPORAL_TEST_SERVER_PATH;
  if (!path || existsSync(path)) return path || undefined;
  reasons.push(`TEMPORAL_TEST_SERVER_PATH: there is no ${path}`);
  return undefined;
}

async function cached({ cacheDir }: ToolContext): Promise<string | undefined> {
  const path = join(cacheDir, FOLDER, `temporal-test-server${EXE}`);
  return existsSync(path) ? path : undefined;
}

async function downloaded(
  context: ToolContext,
  release: Release,
  reasons: string[],
): Promise<string | undefined> {
  context.onProgress?.('Downloading the Temporal test server (once; about 40 MB)');
  try {
    await installInto(context.cacheDir, FOLDER, async (fresh) => {
      const file = await download(release, fresh, context);
      await rename(file, join(fresh, `temporal-test-server${EXE}`));
    });
    return await cached(context);
  } catch (error) {
    reasons.push(`the download: ${(error as Error).message}`);
    return undefined;
  }
}

async function fromMaven(context: ToolContext, reasons: string[]): Promise<string | undefined> {
  const { environment, onProgress } = context;
  const [java, maven] = await Promise.all([findOnPath('java', environment), findOnPath('mvn', environment)]);
  if (!java || !maven) {
    reasons.push(`Maven: no "${java ? 'mvn' : 'java'}" on the PATH`);
    return undefined;
  }
  const line = 'Fetching the Temporal test server with Maven (once; about 40 MB)';
  onProgress?.(line);
  try {
    await installInto(context.cacheDir, FOLDER, async (fresh) => {
      await writeFile(join(fresh, 'pom.xml'), pom());
      const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
      const args = [
        '-B',
        '-q',
        '-f',
        join(fresh, 'pom.xml'),
        goal,
        `-DoutputDirectory=${join(fresh, 'lib')}`,
      ];
      const progress = { line, show: onProgress };
      await runTool(maven, [...args, '-DincludeScope=runtime'], {
        environment,
        timeoutMs: MAVEN_MS,
        progress,
      });
      await writeFile(join(fresh, 'temporal-test-server'), startScript(java), { mode: 0o755 });
    });
    return await cached(context);
  } catch (error) {
    reasons.push(`Maven: ${(error as Error).message}`);
    return undefined;
  }
}

function pom(): string {
  return `<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>cardwright</groupId>
  <artifactId>temporal-test-server</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>io.temporal</groupId>
      <artifactId>temporal-test-server</artifactId>
      <version>${VERSION}</version>
    </dependency>
    <dependency>
      <groupId>org.slf4j</groupId>
      <artifactId>slf4j-nop</artifactId>
      <version>1.7.36</version>
    </dependency>
  </dependencies>
</project>
`;
}

/**
 * Returns the start script. `exec` keeps the process id, because the SDK kills that process. The SDK waits five seconds
 * for the port, so the options favour a quick start of the virtual machine over later speed.
 */
function startScript(java: string): string {
  const options = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto -Xmx512m';
  return `#!/bin/sh
exec "${java}" ${options} -cp "$(dirname "$0")/lib/*" io.temporal.testserver.TestServer "$@"
`;
}
