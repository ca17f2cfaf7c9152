import { relative } from 'node:path';
import { fileOfBlock } from './plan.mjs';

/**
 * Prints a line for each test file, whatever its group, then its failures, and ends with `N passed, N failed`. A file
 * that cannot be loaded counts as one failed test.
 */
export default class FileReporter {
  constructor({ rootDir }) {
    this.rootDir = rootDir;
    this.failures = [];
  }

  onTestResult({ path }, result) {
    const own = relative(this.rootDir, path);
    const ran = result.testResults.filter(({ status }) => status !== 'pending');
    for (const [file, tests] of byFile(ran, own)) {
      const failed = tests.filter(({ status }) => status === 'failed').length;
      const seconds = tests.reduce((sum, { duration }) => sum + (duration ?? 0), 0) / 1000;
      console.log(`${failed > 0 ? 'FAIL' : 'PASS'} ${file} (${tests.length} tests, ${seconds.toFixed(1)} s)`);
    }
    for (const { message } of result.console ?? []) console.log(message);
    if (result.failureMessage) {
      if (result.testExecError) console.log(`FAIL ${own}`);
      console.log(result.failureMessage);
      this.failures.push(result.failureMessage);
    }
  }

  onRunComplete(
    _contexts,
    { numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites, startTime },
  ) {
    if (this.failures.length > 0) console.log(`\nAll failures once more:\n\n${this.failures.join('\n')}`);
    const seconds = ((Date.now() - startTime) / 1000).toFixed(0);
    console.log(`\n${numPendingTests} skipped, ${seconds} s`);
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    process.on('exit', () => process.stdout.write(`${numPassedTests} passed, ${failed} failed\n`));
  }
}

/** Groups results by file. Tests of a group are in a block with the path of their file as its name. */
function byFile(tests, own) {
  const files = new Map();
  for (const test of tests) {
    const [block = ''] = test.ancestorTitles;
    const file = fileOfBlock(block) ?? own;
    files.set(file, [...(files.get(file) ?? []), test]);
  }
  return files;
}
