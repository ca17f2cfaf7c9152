'use strict';

// Lets this process load TypeScript: `node --require ./scripts/typescript.cjs FILE.ts`. A file is compiled once and then
// read from `dist/compiled` while its content stays the same. `npm run build` compiles all files ahead.

const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const nodeModule = require('node:module');
const { dirname, join, relative } = require('node:path');

const ROOT = join(__dirname, '..');
const COMPILED = join(ROOT, 'dist', 'compiled');
const HASH = '//# compiled from ';
/** What a compiled file depends on besides its source. */
const SALT =
  readFileSync(join(__dirname, 'compiler.json'), 'utf8') +
  readFileSync(require.resolve('@swc/core/package.json'), 'utf8');

nodeModule.enableCompileCache?.(join(COMPILED, 'v8'));
nodeModule.setSourceMapsSupport?.(true); // stack traces name the lines of the sources

function compile(file) {
  const source = readFileSync(file, 'utf8');
  const hash = HASH + createHash('sha256').update(SALT).update(source).digest('hex');
  const kept = join(COMPILED, `${relative(ROOT, file)}.js`);
  const found = readKept(kept);
  if (found?.endsWith(hash)) return found;
  const map = `${kept}.map`;
  const output = require('@swc/core').transformSync(source, {
    ...require('./compiler.json'),
    swcrc: false,
    configFile: false,
    filename: file,
    sourceFileName: address(map, file),
    sourceMaps: true,
    inlineSourcesContent: false,
  });
  const code = `${output.code}//# sourceMappingURL=${address(file, map)}\n${hash}`;
  keep(map, output.map);
  keep(kept, code);
  return code;
}

/** The address of `to` as seen from the file `from`, as source maps name it. */
const address = (from, to) => relative(dirname(from), to).replaceAll('\\', '/');

function readKept(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Another process may read or write the same file. An image or a user may have a folder that is not writable. */
function keep(path, content) {
  const fresh = `${path}.${process.pid}`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(fresh, content);
    renameSync(fresh, path);
  } catch {
    // The next process compiles it again.
  }
}

require.extensions['.ts'] = (module, file) => module._compile(compile(file), file);

module.exports = { compile };
