/** Ends the run with one plain line that any reader of a log can find: after jest's own summary. */
module.exports = class CountReporter {
  onRunComplete(_contexts, results) {
    // A file that could not even be loaded has run no test, and is a failure all the same.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    process.on('exit', () => process.stdout.write(`${results.numPassedTests} passed, ${failed} failed\n`));
  }
};
