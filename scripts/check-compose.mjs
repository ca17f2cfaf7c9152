import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Checks docker-compose.yml with the first available Compose tool: Docker's Compose plugin, docker-compose, or the
// Compose specification's own loader (built with Go, kept in the user's cache folder). No tool needs an engine. Without
// a tool the script says so and passes, because tests still check the structure.

const LOADER = 'github.com/compose-spec/compose-go/v2/cmd@v2.16.2';
const REQUIRED = /\$\{[A-Z_]+:\?[^}]*\}/g;

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const file = join(root, 'docker-compose.yml');
const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');

const tool = [plugin, standalone, loader].find((attempt) => attempt());
console.log(
  tool
    ? `docker-compose.yml is valid (${tool.name})`
    : 'docker-compose.yml: no Compose tool here, not checked',
);

function plugin() {
  return (
    has('docker', ['compose', 'version']) && check('docker', ['compose', '-f', file, 'config', '--quiet'])
  );
}

function standalone() {
  return has('docker-compose', ['version']) && check('docker-compose', ['-f', file, 'config', '--quiet']);
}

/** The loader reads no values from outside, so the required values are written into a copy. */
function loader() {
  const program = installedLoader();
  if (!program) return false;
  const folder = mkdtempSync(join(tmpdir(), 'cardwright-compose-'));
  try {
    const copy = join(folder, 'docker-compose.yml');
    writeFileSync(copy, readFileSync(file, 'utf8').replace(REQUIRED, 'check'));
    return check(program, [copy]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function installedLoader() {
  const folder = join(cache, 'cardwright', 'compose-loader');
  const program = join(folder, 'cmd');
  if (existsSync(program)) return program;
  if (!has('go', ['version'])) return undefined;
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync('go', ['install', LOADER], { env: { ...process.env, GOBIN: folder }, stdio: 'pipe' });
    return program;
  } catch {
    return undefined;
  }
}

function has(command, args) {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Ends the process with the tool's message when the file is invalid. */
function check(command, args) {
  const required = {
    MASTER_KEYS: 'check',
    SIGNER_KEYS: 'check',
    POSTGRES_PASSWORD: 'check',
    RUNTIME_DB_PASSWORD: 'check',
    READER_DB_PASSWORD: 'check',
    TEMPORAL_DB_PASSWORD: 'check',
  };
  try {
    execFileSync(command, args, { env: { ...process.env, ...required }, stdio: 'pipe' });
    return true;
  } catch (error) {
    console.error(`docker-compose.yml is not valid:\n${error.stderr || error.message}`);
    process.exit(1);
  }
}
