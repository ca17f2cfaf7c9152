import tseslint from 'typescript-eslint';
import plainNames from './scripts/lint/plain-names.js';

export default tseslint.config(
  { ignores: ['node_modules', 'dist', '.data', 'coverage', 'client/dist', 'client/src/generated'] },
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/require-await': 'off',
      // Nothing here uses `this`: what a factory returns are closures.
      '@typescript-eslint/unbound-method': 'off',
      'no-restricted-syntax': [
        'error',
        {
          selector: 'ObjectExpression > SpreadElement > ObjectExpression',
          message: 'Write the properties themselves, one a line.',
        },
      ],
      'max-lines': ['warn', { max: 300, skipBlankLines: false, skipComments: false }],
    },
  },
  {
    plugins: { cardwright: { rules: { 'plain-names': plainNames } } },
    rules: { 'cardwright/plain-names': 'error' },
  },
  {
    // A file of cases is as long as its cases are many; what the API answers is read as any client reads it.
    files: ['test/**/*.ts', 'scripts/{attack,demo,support}/**/*.ts', 'scripts/{attack,demo}.ts'],
    rules: {
      'max-lines': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-explicit-any': 'off',
    },
  },
  { files: ['**/*.mjs', '**/*.js', '**/*.cjs'], extends: [tseslint.configs.disableTypeChecked] },
  { files: ['jest.config.js', '**/*.cjs'], rules: { '@typescript-eslint/no-require-imports': 'off' } },
);
