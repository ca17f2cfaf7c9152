import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The node of a local chain: the program itself, for the package's own wrapper would be a process more. */
export function anvilExecutable(platform = process.platform, arch = process.arch): string | undefined {
  const suffix = platform === 'win32' ? '.exe' : '';
  const machine = arch === 'x64' ? 'amd64' : arch;
  try {
    const found = createRequire(__filename).resolve(`@foundry-rs/anvil-${platform}-${machine}/package.json`);
    return join(dirname(found), 'bin', `anvil${suffix}`);
  } catch {
    return undefined; // an optional package: no build for this machine, or installed without it
  }
}
