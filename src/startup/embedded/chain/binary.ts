import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Path of the local chain's node. The program itself, because the package's wrapper would be another process. */
export function anvilExecutable(platform = process.platform, arch = process.arch): string | undefined {
  const suffix = platform === 'win32' ? '.exe' : '';
  const machine = arch === 'x64' ? 'amd64' : arch;
  try {
    const found = createRequire(__filename).resolve(`@foundry-rs/anvil-${platform}-${machine}/package.json`);
    return join(dirname(found), 'bin', `anvil${suffix}`);
  } catch {
    return undefined; // optional package: no build for this machine, or not installed
  }
}
