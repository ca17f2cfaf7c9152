import { relative } from 'node:path';
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';
import { measureFile } from './times.mjs';

/**
 * Caches compiled code across test files, because Jest gives each file its own modules and compiles the whole product
 * again for it. The cache is loaded once for each worker, outside of test files. V8 uses cached code only for the same
 * source, and modules still run anew. When V8 rejects cached code, it compiles as usual.
 */
const { compileFunction } = vm;
/** The last compiled source and its cached code, by file name. */
const kept = new Map();

vm.compileFunction = (source, parameters, options = {}) => {
  const last = kept.get(options.filename);
  if (last?.source === source) {
    const again = compileFunction(source, parameters, { ...options, cachedData: last.data });
    if (again.cachedDataRejected) kept.delete(options.filename);
    return again;
  }
  const compiled = compileFunction(source, parameters, { ...options, produceCachedData: true });
  if (compiled.cachedDataProduced) kept.set(options.filename, { source, data: compiled.cachedData });
  return compiled;
};

/** Appends the times of each test file to the file that TEST_TIMES names. */
export default class MeasuredEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    if (process.env.TEST_TIMES) {
      this.times = measureFile(relative(config.globalConfig.rootDir, context.testPath));
    }
    this.global.testTimes = this.times;
  }

  handleTestEvent(event) {
    this.times?.on(event);
  }

  async teardown() {
    this.times?.write(process.env.TEST_TIMES);
    await super.teardown();
  }
}
