import process from 'node:process';
import js from '@eslint/js';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

/** Rules that ask for types: .oxlintrc.types.json has them, but for components. Those wait for the night, half of the time of all lint. */
const isNightly = process.env['CRASH_ALL'] === '1';

// The types of all components come from one program. Each component that is linted would else make one for itself. The
// parser reads this as it is loaded.
if (isNightly) process.env['SVELTE_ESLINT_PARSER_EXPERIMENTAL_TS_SYS_HOOK'] ??= '1';
const { default: svelte } = await import('eslint-plugin-svelte');

const components = ['src/renderer/**/*.svelte', 'src/renderer/**/*.svelte.ts', 'bench/window/page/*.svelte'];

/** What oxlint cannot look at or has no rule for: components, expressions that take too long, and the door to files. */
export default tseslint.config(
  // The build writes its configuration beside itself for a moment, and may run beside this.
  { ignores: ['*.config.ts.*.mjs', 'out/**', 'src/contract/messages/parameters.ts'] },
  tseslint.configs.base,
  {
    files: components,
    extends: [js.configs.recommended, ...tseslint.configs.strict, ...svelte.configs.recommended],
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': 'error',
      // What a component gets and what it derives is declared together.
      'prefer-const': 'off',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
    },
  },
  {
    files: ['src/**/*.{ts,svelte}'],
    plugins: { regexp },
    // Texts from elsewhere must not be able to hold everything up: each expression takes time in proportion to its text.
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignoreSticky: false }],
    },
  },
  {
    // Files of a project are opened through their door (src/engine/files/project-files.ts): a project may come from a
    // stranger, and every name in it may be a link to a file of the person's own.
    files: ['src/engine/**/*.ts', 'src/server/**/*.ts'],
    ignores: [
      'src/engine/files/{held-folder,project-files,existing-paths,place}.ts',
      // What works outside projects: the data folder, lists and media that the person names, where selects are copied to.
      'src/engine/{base/instance-lock,db/*}.ts',
      // Reads files that the caller has opened, and media that the person names.
      'src/engine/base/hash-thread.ts',
      'src/engine/api/request-parts.ts',
      'src/engine/batches/{list-file,local-files,shots-from-media}.ts',
      'src/engine/library/{identity,media-facts,read-facts}.ts',
      'src/engine/review/{cut-sounds,export-takes}.ts',
      'src/engine/kit/export-kit.ts',
      'src/server/folders.ts',
      'src/server/media/{assets,thumbs,upload}.ts',
      'src/server/{web,private}/*.ts',
    ],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          paths: ['fs', 'fs/promises', 'node:fs', 'node:fs/promises'].map((name) => ({
            name,
            allowTypeImports: true,
            message: 'Open files of a project through src/engine/files/project-files.ts.',
          })),
        },
      ],
      'no-restricted-syntax': [
        'error',
        ...[
          'Identifier.arguments:first-child[name=/^project(Path)?$/]',
          'MemberExpression.arguments:first-child[object.name="project"]',
        ].map((argument) => ({
          selector: `CallExpression[callee.name="join"] > ${argument}`,
          message:
            'A path made of names in a project may be a link: use placeIn and the door, or say why it is only a text.',
        })),
      ],
    },
  },
  {
    files: components,
    languageOptions: {
      parserOptions: {
        parser: tseslint.parser,
        ...(isNightly && { projectService: true, tsconfigRootDir: import.meta.dirname }),
        extraFileExtensions: ['.svelte'],
        svelteConfig,
      },
    },
    rules: {
      // The compiler and svelte-check know the browser's names; eslint need not.
      'no-undef': 'off',
      // There are no stores, and looking for them takes a quarter of the time of all rules.
      'svelte/require-store-reactive-access': 'off',
      ...(isNightly && { '@typescript-eslint/no-floating-promises': 'error' }),
    },
  },
);
