import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunOptions, runTool } from '../../src/startup/embedded/run-tool';
import { installInto, type ToolContext } from '../../src/startup/embedded/tool-cache';

const INSTALL_MS = 10 * 60_000;
const ASK_MS = 30_000;
const WINDOWS = process.platform === 'win32';

/** Packages of Python by their pinned versions. */
export interface PythonPackages {
  /** The package that the others serve. */
  name: string;
  /** File of all of them, pinned: nothing else is installed. */
  requirements: string;
}

export const SCHEMATHESIS: PythonPackages = {
  name: 'schemathesis',
  requirements: join(__dirname, '../schemathesis/requirements.txt'),
};

/** The oldest Python that supports the pinned versions. */
const OLDEST = [3, 11] as const;

/**
 * Provides a Python with these packages in a virtual environment of the user's cache folder. Each set of requirements is
 * installed once.
 * @returns the path of the Python
 * @throws Error that names the missing part
 */
export async function pythonWith(packages: PythonPackages, context: ToolContext): Promise<string> {
  const requirements = await readFile(packages.requirements);
  const name = `${packages.name}-${createHash('sha256').update(requirements).digest('hex').slice(0, 12)}`;
  const python = join(context.cacheDir, name, pythonIn());
  if (existsSync(python)) return python;
  const base = await findPython(packages, context);
  context.onProgress?.(`Installing ${packages.name} into ${join(context.cacheDir, name)} (once)`);
  await installInto(context.cacheDir, name, (folder) => install(packages, base, folder, context));
  return python;
}

const pythonIn = () => (WINDOWS ? join('Scripts', 'python.exe') : join('bin', 'python'));

/**
 * Installs into a temporary folder and renames it when complete. The Python finds its packages relative to itself;
 * installed scripts would not.
 */
async function install(
  { name, requirements }: PythonPackages,
  base: string,
  folder: string,
  context: ToolContext,
): Promise<void> {
  const options: RunOptions = {
    environment: context.environment,
    timeoutMs: INSTALL_MS,
    progress: {
      line: `Installing ${name}`,
      ...(context.onProgress ? { show: context.onProgress } : {}),
    },
  };
  await runTool(base, ['-m', 'venv', folder], options);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps'];
  await runTool(join(folder, pythonIn()), [...pip, '--requirement', requirements], options);
}

/** Finds PYTHON, or a Python on the PATH. @throws Error that lists the candidates */
async function findPython({ name }: PythonPackages, { environment }: ToolContext): Promise<string> {
  const tried: string[] = [];
  const named = environment['PYTHON'];
  for (const command of named ? [named] : ['python3', 'python']) {
    try {
      // Prints its version only where virtual environments can be created.
      const code = 'import venv, ensurepip, sys; print(*sys.version_info[:2])';
      const [major = 0, minor = 0] = (
        await runTool(command, ['-c', code], { environment, timeoutMs: ASK_MS })
      )
        .trim()
        .split(' ')
        .map(Number);
      if (major === OLDEST[0] && minor >= OLDEST[1]) return command;
      tried.push(`${command}: version ${major}.${minor}`);
    } catch (error) {
      tried.push(`${command}: ${(error as Error).message}`);
    }
  }
  throw new Error(
    `${name} needs Python ${OLDEST.join('.')} or newer with venv and pip (on Debian: apt install python3-venv), on the ` +
      `PATH or named in PYTHON.\n  ${tried.join('\n  ')}`,
  );
}
