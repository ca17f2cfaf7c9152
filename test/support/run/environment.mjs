import { relative } from 'node:path';
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';
import { measureFile } from './times.mjs';

/**
 * Jest gives each test file modules of its own, and compiles the whole product anew for it.
 * This is loaded once a worker, outside of any test file, and keeps there what V8 made of a source, which it takes for that
 * very source alone; modules are run anew all the same. Where V8 refuses what is kept, it compiles as it would have.
 */
const { compileFunction } = vm;
/** By file name: what was compiled last, and what became of it. */
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

/** With TEST_TIMES, the path of a file, each test file leaves there where its time went. */
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
